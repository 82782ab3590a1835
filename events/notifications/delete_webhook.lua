-- Delete a webhook with its deliveries. With the last one ends the reason to be subscribed without reading.
--
-- KEYS: the account's webhooks, webhook, its deliveries, its pending deliveries, due webhooks, subscribers
-- ARGV: webhook id, account id, until when the account is still subscribed (ms since 1970)

redis.call('SREM', KEYS[1], ARGV[1])
for i = 2, 4 do redis.call('DEL', KEYS[i]) end
redis.call('ZREM', KEYS[5], ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('ZADD', KEYS[6], 'XX', ARGV[3], ARGV[2]) end
