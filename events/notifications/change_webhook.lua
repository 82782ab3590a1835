-- Set fields of a webhook, if it is still there. Whoever enables it has what is pending attempted at once.
--
-- KEYS: webhook, its pending deliveries, due webhooks, and under an Idempotency-Key the record of what came of it
-- ARGV: webhook id, the current time (ms since 1970), 1 to resume, record or '', how long that is kept (ms), then the
--       fields and their values

local FIRST_FIELD = 6
if redis.call('EXISTS', KEYS[1]) == 0 then return {'refused'} end
local known = KEYS[4] and redis.call('GET', KEYS[4])
if known then return {'known', known} end

redis.call('HSET', KEYS[1], unpack(ARGV, FIRST_FIELD))
if redis.call('HGET', KEYS[1], 'enabled') ~= '1' then
  redis.call('ZREM', KEYS[3], ARGV[1])
elseif ARGV[3] == '1' and redis.call('EXISTS', KEYS[2]) == 1
  and tonumber(redis.call('HGET', KEYS[1], 'busy') or 0) <= tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
end
if KEYS[4] then redis.call('SET', KEYS[4], ARGV[4], 'PX', ARGV[5]) end
return {'made'}
