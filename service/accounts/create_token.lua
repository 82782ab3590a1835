-- Take tokens that have ended off an account's list and write a further one, unless the list is full then or
-- the account was deleted. Sent twice, it writes once.
--
-- KEYS: account, token, the account's tokens, and under an Idempotency-Key the record of what came of it
-- ARGV: token, when it is forgotten (ms since 1970), token id, digest of the secret, record or '', how long the
--       record is kept in ms, the most tokens that an account may have, then the ids of those that have ended

local FIRST_ENDED = 8

if redis.call('EXISTS', KEYS[1]) == 0 then return {'deleted'} end
local known = KEYS[4] and redis.call('GET', KEYS[4])
if known then return {'known', known} end
for i = FIRST_ENDED, #ARGV do redis.call('HDEL', KEYS[3], ARGV[i]) end
local is_there = redis.call('HEXISTS', KEYS[3], ARGV[3]) == 1
if not is_there and redis.call('HLEN', KEYS[3]) >= tonumber(ARGV[7]) then return {'refused'} end

redis.call('SET', KEYS[2], ARGV[1], 'PXAT', ARGV[2])
redis.call('HSET', KEYS[3], ARGV[3], ARGV[4])
if KEYS[4] then redis.call('SET', KEYS[4], ARGV[5], 'PX', ARGV[6]) end
return {'made'}
