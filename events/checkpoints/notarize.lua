-- Add lines to the log of checkpoints, all of them or nothing.
--
-- KEYS: log, line numbers by match id, published keys
-- ARGV: number of the line before (0 if there is none), its hash, id of the signing key, public key,
--       then for each line: m, j, h, s
--
-- A line: m match id, j what was signed, h the hash of that, s signature. Its number is its place in the log.
-- Every check comes before the first write: a script that fails half-way keeps what it wrote.

local log, numbers, published = KEYS[1], KEYS[2], KEYS[3]
local expected, key_id, public_key = tonumber(ARGV[1]), ARGV[3], ARGV[4]
local FIRST_LINE, LINE_SIZE = 5, 4

local function member(flat, name)
  for i = 1, #flat, 2 do
    if flat[i] == name then return flat[i + 1] end
  end
end

-- 1. The log: lines are only ever added, so what was added is what is there, and each match has its number.
local last, head_hash = 0, ARGV[2]
if redis.call('EXISTS', log) == 1 then
  local info = redis.call('XINFO', 'STREAM', log)
  local last_line = member(info, 'last-entry')
  last = member(info, 'length')
  if last ~= member(info, 'entries-added') or member(info, 'max-deleted-entry-id') ~= '0-0'
    or member(info, 'last-generated-id') ~= last .. '-0' or not last_line or last_line[1] ~= last .. '-0' then
    return {'corrupt', 'lines were removed'}
  end
  head_hash = member(last_line[2], 'h')
end
if redis.call('HLEN', numbers) ~= last then
  return {'corrupt', 'not every line is found by its match; run events.reindex'}
end

-- 2. That nobody was faster, and that these matches have no line yet: so a call that comes twice adds nothing.
local known, is_known = {}, false
for i = FIRST_LINE, #ARGV, LINE_SIZE do
  local number = redis.call('HGET', numbers, ARGV[i])
  is_known = is_known or number
  known[#known + 1] = tonumber(number or 0)
end
if is_known or last ~= expected or head_hash ~= ARGV[2] then
  return {'behind', last, last > 0 and head_hash or '', known}
end

-- 3. The key.
local before = redis.call('HGET', published, key_id)
if before and before ~= public_key then return {'reused'} end

-- 4. The writes.
if not before then redis.call('HSET', published, key_id, public_key) end
for i = FIRST_LINE, #ARGV, LINE_SIZE do
  last = last + 1
  redis.call('XADD', log, last .. '-0', 'm', ARGV[i], 'j', ARGV[i + 1], 'h', ARGV[i + 2], 's', ARGV[i + 3])
  redis.call('HSET', numbers, ARGV[i], last)
end
return {'added'}
