-- Take due webhooks for a time; which they are, each with whether it is slow.
--
-- KEYS: due webhooks
-- ARGV: the current time and until when they are taken (ms since 1970), the most webhooks, the most of these that are
--       slow, how many due ones are looked at, the beginning of the key of a webhook

local most, slow = tonumber(ARGV[3]), tonumber(ARGV[4])
local taken = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[5])) do
  local webhook = ARGV[6] .. id
  local found = redis.call('HMGET', webhook, 'enabled', 'slow')
  local is_slow = found[2] == '1'
  if found[1] ~= '1' then
    redis.call('ZREM', KEYS[1], id)
  elseif #taken < 2 * most and not (is_slow and slow <= 0) then
    redis.call('ZADD', KEYS[1], ARGV[2], id)
    redis.call('HSET', webhook, 'busy', ARGV[2])
    if is_slow then slow = slow - 1 end
    taken[#taken + 1] = id
    taken[#taken + 1] = is_slow and '1' or '0'
  end
end
return taken
