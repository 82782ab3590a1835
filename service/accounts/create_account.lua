-- Write an account with its first token, unless another has the handle. Sent twice, it writes once.
--
-- KEYS: handles, account, token, the account's tokens, and under an Idempotency-Key the record of what came of it
-- ARGV: handle in lower case, account id, account, token, when the token is forgotten (ms since 1970), token id,
--       digest of the secret, record or '', how long the record is kept in ms

local known = KEYS[5] and redis.call('GET', KEYS[5])
if known then return {'known', known} end
local holder = redis.call('HGET', KEYS[1], ARGV[1])
if holder and holder ~= ARGV[2] then return {'refused'} end

redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('SET', KEYS[2], ARGV[3])
redis.call('SET', KEYS[3], ARGV[4], 'PXAT', ARGV[5])
redis.call('HSET', KEYS[4], ARGV[6], ARGV[7])
if KEYS[5] then redis.call('SET', KEYS[5], ARGV[8], 'PX', ARGV[9]) end
return {'made'}
