-- Give back a webhook that was taken: it is due again with its first pending delivery.
--
-- KEYS: webhook, its pending deliveries, due webhooks
-- ARGV: webhook id

local found = redis.call('HMGET', KEYS[1], 'enabled', 'not_before')
if found[1] then redis.call('HDEL', KEYS[1], 'busy') end
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
if found[1] == '1' and first[1] then
  redis.call('ZADD', KEYS[3], math.max(tonumber(first[2]), tonumber(found[2] or 0)), ARGV[1])
else
  redis.call('ZREM', KEYS[3], ARGV[1])
end
