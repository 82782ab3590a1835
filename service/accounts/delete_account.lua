-- Delete an account with its tokens, webhooks and lists, and record that it has to leave matches and ladders. Its
-- handle remains taken. Sent twice, it deletes once.
--
-- KEYS: account, deleted accounts, subscribers, due webhooks, the account's tokens, its webhooks, then all else that is
--       deleted with it
-- ARGV: account id, the current time (ms since 1970), the key of a token without its digest, then the beginnings of
--       the keys of a webhook, its deliveries and its pending ones

if redis.call('DEL', KEYS[1]) == 0 then return end
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
for _, digest in ipairs(redis.call('HVALS', KEYS[5])) do redis.call('DEL', ARGV[3] .. digest) end
for _, id in ipairs(redis.call('SMEMBERS', KEYS[6])) do
  redis.call('ZREM', KEYS[4], id)
  for i = 4, #ARGV do redis.call('DEL', ARGV[i] .. id) end
end
for i = 5, #KEYS do redis.call('DEL', KEYS[i]) end
