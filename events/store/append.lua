-- Add entries to one stream, and execute the writes that belong to them: all of it, or nothing.
--
-- KEYS: stream, command index, tombstones of archived streams, then the key of each write
-- ARGV: expected version, hash of its last event, stream id, kind of its entries, values of the entries, their sizes in
--       bytes as a JSON array, then for each write the number of its arguments, its command, its arguments
-- The values of an entry are its last version, its fields, the short name of its command id, and the id itself. They are
-- one argument, because a match of built-in players has some 2,000, and clients pack arguments one by one.
--
-- Fields of an entry of the kind `events`: e events, c fingerprint and command id ('' for a built-in player), a actor,
-- t time, h last hash. In older entries, whose e begins with '[', the fingerprint is longer and the id in c is the id
-- itself. Fields of the kind `line`, of the checkpoint log: m match id, which is the command id, j the signed bytes,
-- h their hash, s signature.
-- The command index has the version that a command led to, under the short name of its id; under the id itself if
-- another id has that name, and in older streams.
-- Every check precedes the first write, because a script that fails half-way does not undo its writes.

local stream, commands, archived = KEYS[1], KEYS[2], KEYS[3]
local expected, stream_id, is_line = tonumber(ARGV[1]), ARGV[3], ARGV[4] == 'line'
local FIRST_WRITE_KEY, FIRST_WRITE, MISSED_LIMIT = 4, 7, 50
local FIELDS, ID_FIELD, COMMAND, FINGERPRINT_SIZE, LONG_FINGERPRINT_SIZE = 5, 'c', 2, 8, 16
if is_line then FIELDS, ID_FIELD, COMMAND, FINGERPRINT_SIZE = 4, 'm', 1, 0 end
local SHORT_NAME, ID, ENTRY_SIZE = FIELDS + 1, FIELDS + 2, FIELDS + 3

local entries, from = {}, 1
for i, size in ipairs(cjson.decode(ARGV[6])) do
  entries[i] = string.sub(ARGV[5], from, from + size - 1)
  from = from + size
end

local function member(flat, name)
  for i = 1, #flat, 2 do
    if flat[i] == name then return flat[i + 1] end
  end
end

local function version_of(entry_id)
  return tonumber(string.match(entry_id, '^(%d+)%-0$'))
end

-- 1. The command ids: before the version, so that a repeated command gets its original result.
for i = 1, #entries, ENTRY_SIZE do
  local command, short_name, id = entries[i + COMMAND], entries[i + SHORT_NAME], entries[i + ID]
  local fingerprint, packed_id = string.sub(command, 1, FINGERPRINT_SIZE), string.sub(command, FINGERPRINT_SIZE + 1)
  for n, last in ipairs(id ~= '' and redis.call('HMGET', commands, short_name, id) or {}) do
    if last then
      local entry_id = last .. '-0'
      local found = redis.call('XREVRANGE', stream, entry_id, '-', 'COUNT', 2)
      if not found[1] or found[1][1] ~= entry_id then return {'corrupt', 'no entry of a known command'} end
      local known, is_old = member(found[1][2], ID_FIELD) or '', string.sub(member(found[1][2], 'e') or '', 1, 1) == '['
      local known_id = string.sub(known, (is_old and LONG_FINGERPRINT_SIZE or FINGERPRINT_SIZE) + 1)
      if known_id == (is_old and id or packed_id) then
        if string.sub(known, 1, FINGERPRINT_SIZE) ~= fingerprint then return {'reused'} end
        return {'duplicate', found[2] and version_of(found[2][1]) + 1 or 1, tonumber(last)}
      end
      if n == 2 then return {'corrupt', 'another entry in the place of a known command'} end
    end
  end
end

-- 2. The stream: entries are never removed, so it must have as many as were added.
local current, head_hash = 0, ARGV[2]
if redis.call('EXISTS', stream) == 1 then
  local info = redis.call('XINFO', 'STREAM', stream)
  local top, last_entry = member(info, 'last-generated-id'), member(info, 'last-entry')
  current = version_of(top)
  if not current or member(info, 'length') ~= member(info, 'entries-added')
    or member(info, 'max-deleted-entry-id') ~= '0-0' or not last_entry or last_entry[1] ~= top then
    return {'corrupt', 'entries were removed'}
  end
  head_hash = member(last_entry[2], 'h')
else
  local tombstone = redis.call('HGET', archived, stream_id)
  if tombstone then return {'archived', tombstone} end
end
if is_line and redis.call('HLEN', commands) ~= current then
  return {'corrupt', 'not every line is found by its match; run events.reindex'}
end

-- 3. The version, and the hash of its last event: the history must be the same.
if current ~= expected then
  return {'conflict', current, redis.call('XRANGE', stream, '(' .. expected .. '-0', '+', 'COUNT', MISSED_LIMIT)}
end
if head_hash ~= ARGV[2] then return {'conflict', current, {}} end
for i = 1, #entries, ENTRY_SIZE do
  local last = tonumber(entries[i])
  if last <= current then return redis.error_reply('ERR versions do not rise') end
  current = last
end

-- 4. The bindings, which are the first writes: no name may have another value.
local i, k = FIRST_WRITE, FIRST_WRITE_KEY
while ARGV[i + 1] == 'HSETNX' do
  local known = redis.call('HGET', KEYS[k], ARGV[i + 2])
  if known and known ~= ARGV[i + 3] then return {'reused'} end
  i, k = i + 4, k + 1
end

-- 5. The writes.
for i = 1, #entries, ENTRY_SIZE do
  local last, short_name, id = entries[i], entries[i + SHORT_NAME], entries[i + ID]
  local entry_id, f1, f2, f3, f4, f5 = last .. '-0', unpack(entries, i + 1, i + 5)
  if is_line then
    redis.call('XADD', stream, entry_id, 'm', f1, 'j', f2, 'h', f3, 's', f4)
  else
    redis.call('XADD', stream, entry_id, 'e', f1, 'c', f2, 'a', f3, 't', f4, 'h', f5)
  end
  if id ~= '' and redis.call('HSETNX', commands, short_name, last) == 0 then
    redis.call('HSET', commands, id, last)
  end
end
i = FIRST_WRITE
for k = FIRST_WRITE_KEY, #KEYS do
  local count = tonumber(ARGV[i])
  redis.call(ARGV[i + 1], KEYS[k], unpack(ARGV, i + 2, i + 1 + count))
  i = i + 2 + count
end
return {'appended', expected + 1, current}
