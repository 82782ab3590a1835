-- Remove the stream of a match that is in a file from Redis, and leave a tombstone in its place.
--
-- KEYS: match stream, command index, due set, tombstones
-- ARGV: match id, version, hash of its last event, number of its entries, tombstone
--
-- Every check precedes the first write. UNLINK is the first write, so nothing has changed if the user lacks the right,
-- or the server the memory.

local stream, commands, due, archived = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local match_id, version, head_hash, count, tombstone = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]

local function member(flat, name)
  for i = 1, #flat, 2 do
    if flat[i] == name then return flat[i + 1] end
  end
end

local known = redis.call('HGET', archived, match_id)
if redis.call('EXISTS', stream) == 0 then
  -- This call may be a retry whose first reply was lost.
  if known == tombstone then return 'archived' end
  return 'the stream is gone'
end
local info = redis.call('XINFO', 'STREAM', stream)
local last_entry = member(info, 'last-entry')
if member(info, 'last-generated-id') ~= version .. '-0' or not last_entry or last_entry[1] ~= version .. '-0'
  or member(info, 'length') ~= count or member(info, 'entries-added') ~= count
  or member(info, 'max-deleted-entry-id') ~= '0-0' or member(last_entry[2], 'h') ~= head_hash then
  return 'the stream is not what was read'
end
if redis.call('ZSCORE', due, match_id) then return 'somebody is to look after it' end

redis.call('UNLINK', stream, commands)
redis.call('HSET', archived, match_id, tombstone)
return 'archived'
