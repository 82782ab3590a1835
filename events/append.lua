-- Add entries to one match, all of them or nothing.
--
-- KEYS: match stream, command index, log, due set, summary, tombstones, then the indexes to join, then those to
--       leave, and the turns of the account that is to act from now on, if there is one
-- ARGV: expected version, hash of its last event, match id, who is next, due time in ms or '', summary or '',
--       number of indexes to join, the account that is to act from now on or '', of the turn that a worker is to
--       take the account that made the match or '' and '1' if people play in it, accounts that are invited to a
--       seat with commas between them or '', then for each entry: last version, e, c, a, t, h
--
-- An entry: e events, c fingerprint and command id ('' for a built-in player), a actor, t time, h last hash.
-- Every check comes before the first write: a script that fails half-way keeps what it wrote.

local stream, commands, log, due, summary, archived = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local expected, match_id = tonumber(ARGV[1]), ARGV[3]
local account, creator, has_people, invited = ARGV[8], ARGV[9], ARGV[10], ARGV[11]
local FIRST_ENTRY, ENTRY_SIZE, FINGERPRINT_SIZE, MISSED_LIMIT, INDEXES = 12, 6, 16, 50, 6

local function member(flat, name)
  for i = 1, #flat, 2 do
    if flat[i] == name then return flat[i + 1] end
  end
end

local function version_of(id)
  return tonumber(string.match(id, '^(%d+)%-0$'))
end

-- 1. The command ids: before the version, so that a repeated command gets its old answer.
for i = FIRST_ENTRY, #ARGV, ENTRY_SIZE do
  local command = ARGV[i + 2]
  local last = command ~= '' and redis.call('HGET', commands, string.sub(command, FINGERPRINT_SIZE + 1))
  if last then
    local id = last .. '-0'
    local found = redis.call('XREVRANGE', stream, id, '-', 'COUNT', 2)
    if not found[1] or found[1][1] ~= id then return {'corrupt', 'no entry of a known command'} end
    if member(found[1][2], 'c') ~= command then return {'reused'} end
    return {'duplicate', found[2] and version_of(found[2][1]) + 1 or 1, tonumber(last)}
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
  local tombstone = redis.call('HGET', archived, match_id)
  if tombstone then return {'archived', tombstone} end
end

-- 3. The version, and that it is the same history.
if current ~= expected then
  return {'conflict', current, redis.call('XRANGE', stream, '(' .. expected .. '-0', '+', 'COUNT', MISSED_LIMIT)}
end
if head_hash ~= ARGV[2] then return {'conflict', current, {}} end
for i = FIRST_ENTRY, #ARGV, ENTRY_SIZE do
  local last = tonumber(ARGV[i])
  if last <= current then return redis.error_reply('ERR versions do not rise') end
  current = last
end

-- 4. The writes.
for i = FIRST_ENTRY, #ARGV, ENTRY_SIZE do
  local last, command = ARGV[i], ARGV[i + 2]
  redis.call('XADD', stream, last .. '-0', 'e', ARGV[i + 1], 'c', command, 'a', ARGV[i + 3],
    't', ARGV[i + 4], 'h', ARGV[i + 5])
  if command ~= '' then redis.call('HSET', commands, string.sub(command, FINGERPRINT_SIZE + 1), last) end
end
local last_index = #KEYS
local pointer = {'m', match_id, 'v', current, 'n', ARGV[4]}
for _, field in ipairs({{'a', account}, {'c', creator}, {'p', has_people}, {'i', invited}}) do
  if field[2] ~= '' then
    pointer[#pointer + 1] = field[1]
    pointer[#pointer + 1] = field[2]
  end
end
redis.call('XADD', log, '*', unpack(pointer))
if account ~= '' then
  redis.call('ZADD', KEYS[last_index], ARGV[#ARGV - 1], match_id)
  last_index = last_index - 1
end
if ARGV[5] == '' then
  redis.call('ZREM', due, match_id)
else
  redis.call('ZADD', due, ARGV[5], match_id)
end
if ARGV[6] ~= '' then redis.call('SET', summary, ARGV[6]) end
local joined_end = INDEXES + tonumber(ARGV[7])
for i = INDEXES + 1, last_index do
  if i <= joined_end then
    redis.call('ZADD', KEYS[i], 0, match_id)
  else
    redis.call('ZREM', KEYS[i], match_id)
  end
end
return {'appended', expected + 1, current}
