-- Add one entry to the history of a ladder, or nothing.
--
-- KEYS: ladder stream, command index, ladders by id, ladders with something to play, ladders by job, log
-- ARGV: expected version, hash of its last event, ladder id, '1' if something is to be played from now on or '0',
--       id of a new job or '', then the entry: last version, e, c, a, t, h
--
-- An entry is as that of a match: e events, c fingerprint and command id, a actor, t time, h last hash.
-- Every check comes before the first write: a script that fails half-way keeps what it wrote.

local stream, commands, ladders, active, jobs, log = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local expected, ladder_id = tonumber(ARGV[1]), ARGV[3]
local FINGERPRINT_SIZE = 16
local last, command = ARGV[6], ARGV[8]

local function member(flat, name)
  for i = 1, #flat, 2 do
    if flat[i] == name then return flat[i + 1] end
  end
end

local function version_of(id)
  return tonumber(string.match(id, '^(%d+)%-0$'))
end

-- 1. The command id: before the version, so that a repeated command gets its old answer.
local command_id = string.sub(command, FINGERPRINT_SIZE + 1)
local known = redis.call('HGET', commands, command_id)
if known then
  local found = redis.call('XRANGE', stream, known .. '-0', known .. '-0')
  if not found[1] then return {'corrupt', 'no entry of a known command'} end
  if member(found[1][2], 'c') ~= command then return {'reused'} end
  return {'duplicate', tonumber(known)}
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
end

-- 3. The version, and that it is the same history.
if current ~= expected or head_hash ~= ARGV[2] then return {'conflict', current} end
if tonumber(last) <= current then return redis.error_reply('ERR versions do not rise') end

-- 4. The writes.
redis.call('XADD', stream, last .. '-0', 'e', ARGV[7], 'c', command, 'a', ARGV[9], 't', ARGV[10], 'h', ARGV[11])
redis.call('HSET', commands, command_id, last)
redis.call('XADD', log, '*', 'm', ladder_id, 'v', last, 'n', 'ladder')
if expected == 0 then redis.call('ZADD', ladders, 0, ladder_id) end
if ARGV[4] == '1' then
  redis.call('ZADD', active, 0, ladder_id)
else
  redis.call('ZREM', active, ladder_id)
end
if ARGV[5] ~= '' then redis.call('HSET', jobs, ARGV[5], ladder_id) end
return {'appended', tonumber(last)}
