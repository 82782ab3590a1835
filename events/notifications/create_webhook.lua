-- Create a webhook, unless the account was deleted or has as many as it may. Sent twice, it creates once.
--
-- KEYS: account, the account's webhooks, webhook, subscribers, and under an Idempotency-Key the record of what came of
--       it
-- ARGV: webhook id, the most webhooks of an account, account id, until when the account is subscribed, record or '',
--       how long that is kept (ms), then the fields and values of the webhook

local FIRST_FIELD = 7
if redis.call('EXISTS', KEYS[1]) == 0 then return {'deleted'} end
local known = KEYS[5] and redis.call('GET', KEYS[5])
if known then return {'known', known} end
local is_there = redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 1
if not is_there and redis.call('SCARD', KEYS[2]) >= tonumber(ARGV[2]) then return {'refused'} end

redis.call('SADD', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[3], unpack(ARGV, FIRST_FIELD))
redis.call('ZADD', KEYS[4], ARGV[4], ARGV[3])
if KEYS[5] then redis.call('SET', KEYS[5], ARGV[5], 'PX', ARGV[6]) end
return {'made'}
