-- Add entries to one stream, and carry out the writes that go with them: all of it, or nothing.
--
-- KEYS: stream, command index, tombstones of archived streams, then the key of each write
-- ARGV: expected version, hash of its last event, stream id, number of entries, for each entry last version, e, c, a,
--       t, h, short name of its command id, the id itself, then for each write the number of its arguments, its
--       command, its arguments
--
-- An entry: e events, c fingerprint and command id ('' for a built-in player), a actor, t time, h last hash. In older
-- entries, whose e begins with '[', the fingerprint is longer and the id in c is the id itself. The command index has
-- the version that a command led to under the short name of its id; under the id itself if another has that name, and
-- in older streams.
-- Every check comes before the first write: a script that fails half-way keeps what it wrote.

local stream, commands, archived = KEYS[1], KEYS[2], KEYS[3]
local expected, id = tonumber(ARGV[1]), ARGV[3]
local FIRST_WRITE_KEY, FIRST_ENTRY, ENTRY_SIZE, MISSED_LIMIT = 4, 5, 8, 50
local FINGERPRINT_SIZE, LONG_FINGERPRINT_SIZE = 8, 16
local FIRST_WRITE = FIRST_ENTRY + ENTRY_SIZE * tonumber(ARGV[4])

local function member(flat, name)
  for i = 1, #flat, 2 do
    if flat[i] == name then return flat[i + 1] end
  end
end

local function version_of(entry_id)
  return tonumber(string.match(entry_id, '^(%d+)%-0$'))
end

-- 1. The command ids: before the version, so that a repeated command gets its old answer.
for i = FIRST_ENTRY, FIRST_WRITE - 1, ENTRY_SIZE do
  local command, short_name, id = ARGV[i + 2], ARGV[i + 6], ARGV[i + 7]
  local fingerprint, packed_id = string.sub(command, 1, FINGERPRINT_SIZE), string.sub(command, FINGERPRINT_SIZE + 1)
  for _, last in ipairs(id ~= '' and redis.call('HMGET', commands, short_name, id) or {}) do
    if last then
      local entry_id = last .. '-0'
      local found = redis.call('XREVRANGE', stream, entry_id, '-', 'COUNT', 2)
      if not found[1] or found[1][1] ~= entry_id then return {'corrupt', 'no entry of a known command'} end
      local known, is_old = member(found[1][2], 'c') or '', string.sub(member(found[1][2], 'e') or '', 1, 1) == '['
      local known_id = string.sub(known, (is_old and LONG_FINGERPRINT_SIZE or FINGERPRINT_SIZE) + 1)
      if known_id == (is_old and id or packed_id) then
        if string.sub(known, 1, FINGERPRINT_SIZE) ~= fingerprint then return {'reused'} end
        return {'duplicate', found[2] and version_of(found[2][1]) + 1 or 1, tonumber(last)}
      end
    end
  end
end

-- 2. The stream: entries are only ever added, so what was added is what is there.
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
  local tombstone = redis.call('HGET', archived, id)
  if tombstone then return {'archived', tombstone} end
end

-- 3. The version, and that it is the same history.
if current ~= expected then
  return {'conflict', current, redis.call('XRANGE', stream, '(' .. expected .. '-0', '+', 'COUNT', MISSED_LIMIT)}
end
if head_hash ~= ARGV[2] then return {'conflict', current, {}} end
for i = FIRST_ENTRY, FIRST_WRITE - 1, ENTRY_SIZE do
  local last = tonumber(ARGV[i])
  if last <= current then return redis.error_reply('ERR versions do not rise') end
  current = last
end

-- 4. The writes.
for i = FIRST_ENTRY, FIRST_WRITE - 1, ENTRY_SIZE do
  local last, short_name, id = ARGV[i], ARGV[i + 6], ARGV[i + 7]
  redis.call('XADD', stream, last .. '-0', 'e', ARGV[i + 1], 'c', ARGV[i + 2], 'a', ARGV[i + 3],
    't', ARGV[i + 4], 'h', ARGV[i + 5])
  if id ~= '' and redis.call('HSETNX', commands, short_name, last) == 0 then
    redis.call('HSET', commands, id, last)
  end
end
local i = FIRST_WRITE
for k = FIRST_WRITE_KEY, #KEYS do
  local count = tonumber(ARGV[i])
  redis.call(ARGV[i + 1], KEYS[k], unpack(ARGV, i + 2, i + 1 + count))
  i = i + 2 + count
end
return {'appended', expected + 1, current}
