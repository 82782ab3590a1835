-- Record what came of an attempt, unless the webhook or the delivery was deleted meanwhile.
--
-- KEYS: webhook, its deliveries, its pending deliveries
-- ARGV: notification id, delivery, when it is attempted again (ms since 1970) or '', then fields and values of the
--       webhook

if redis.call('EXISTS', KEYS[1]) == 0 then return end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 then return end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
if ARGV[3] == '' then
  redis.call('ZREM', KEYS[3], ARGV[1])
else
  redis.call('ZADD', KEYS[3], ARGV[3], ARGV[1])
end
