-- Have a notification sent to a webhook, unless that is gone or disabled.
--
-- KEYS: webhook, its deliveries, its pending deliveries, due webhooks, and under an Idempotency-Key the record of what
--       came of it
-- ARGV: webhook id, notification id, delivery, when it is attempted (ms since 1970), the most deliveries of a webhook,
--       record or '', how long that is kept (ms)

local known = KEYS[5] and redis.call('GET', KEYS[5])
if known then return {'known', known} end
local found = redis.call('HMGET', KEYS[1], 'enabled', 'busy', 'not_before')
if found[1] ~= '1' then return {'refused'} end

if redis.call('HEXISTS', KEYS[2], ARGV[2]) == 0 and redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[5]) then
  local ids = redis.call('HKEYS', KEYS[2])
  table.sort(ids)
  redis.call('HDEL', KEYS[2], ids[1])
  redis.call('ZREM', KEYS[3], ids[1])
end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[2])
if tonumber(found[2] or 0) <= tonumber(ARGV[4]) then
  redis.call('ZADD', KEYS[4], 'LT', math.max(tonumber(ARGV[4]), tonumber(found[3] or 0)), ARGV[1])
end
if KEYS[5] then redis.call('SET', KEYS[5], ARGV[6], 'PX', ARGV[7]) end
return {'made'}
