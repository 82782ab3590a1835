-- Restore the stream of an archived match as it was, and remove its tombstone.
--
-- KEYS: match stream, command index, tombstones
-- ARGV: match id, tombstone, number of commands, then for each its id and the version it led to,
--       then for each entry: id, e, c, a, t, h
--
-- Every check precedes the first write.

local stream, commands, archived = KEYS[1], KEYS[2], KEYS[3]
local match_id, tombstone = ARGV[1], ARGV[2]
local FIRST_COMMAND, ENTRY_SIZE = 4, 6
local first_entry = FIRST_COMMAND + 2 * tonumber(ARGV[3])

local known = redis.call('HGET', archived, match_id)
if redis.call('EXISTS', stream) == 1 then
  -- This call may be a retry whose first reply was lost.
  if not known then return 'restored' end
  return 'there is a stream'
end
if known ~= tombstone then return 'it is not archived, or elsewhere' end
local top = 0
for i = first_entry, #ARGV, ENTRY_SIZE do
  local last = tonumber(string.match(ARGV[i], '^(%d+)%-0$'))
  if not last or last <= top then return 'versions do not rise' end
  top = last
end

for i = first_entry, #ARGV, ENTRY_SIZE do
  redis.call('XADD', stream, ARGV[i], 'e', ARGV[i + 1], 'c', ARGV[i + 2], 'a', ARGV[i + 3],
    't', ARGV[i + 4], 'h', ARGV[i + 5])
end
for i = FIRST_COMMAND, first_entry - 1, 2 do
  redis.call('HSET', commands, ARGV[i], ARGV[i + 1])
end
redis.call('HDEL', archived, match_id)
return 'restored'
