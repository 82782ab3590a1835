-- Delete an account with its tokens and lists, and record that it has to leave matches and ladders. Its handle
-- remains taken. Sent twice, it deletes once.
--
-- KEYS: account, deleted accounts, the account's tokens, then all else that is deleted with it
-- ARGV: account id, the current time (ms since 1970), the key of a token without its digest

if redis.call('DEL', KEYS[1]) == 0 then return end
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
for _, digest in ipairs(redis.call('HVALS', KEYS[3])) do redis.call('DEL', ARGV[3] .. digest) end
for i = 3, #KEYS do redis.call('DEL', KEYS[i]) end
