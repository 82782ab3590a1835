-- Add notifications to the inbox of an account, and for each of its webhooks that wants them a delivery. What the
-- inbox has already is left out, so the same pointers of a log can be followed twice. The sequence of the last one
-- that was added; 0 if none was.
--
-- KEYS: account, inbox, its state, subscribers, the account's webhooks, due webhooks
-- ARGV: account id, tag of the log's partition, the current time (ms since 1970), the most notifications in an inbox,
--       how long it is kept (ms), the most deliveries of a webhook, the beginnings of the keys of a webhook, its
--       deliveries and its pending ones, then for each notification both numbers of its pointer's id, its type, its id,
--       and itself as JSON with the sequence 0

local FIRST, SIZE = 10, 5
local account_id, tag, now, kept, kept_ms, kept_deliveries = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local webhook_key, deliveries_key, pending_key = ARGV[7], ARGV[8], ARGV[9]

local until_ms = redis.call('ZSCORE', KEYS[4], account_id)
if redis.call('EXISTS', KEYS[1]) == 0 or not until_ms or tonumber(until_ms) < tonumber(now) then return 0 end

local wanted = {}
for _, id in ipairs(redis.call('SMEMBERS', KEYS[5])) do
  local found = redis.call('HMGET', webhook_key .. id, 'enabled', 'types', 'busy', 'not_before')
  if found[1] == '1' then wanted[id] = found end
end

local function oldest(deliveries)
  local found
  for _, id in ipairs(redis.call('HKEYS', deliveries)) do
    if not found or id < found then found = id end
  end
  return found
end

local function deliver(id, webhook, type, notification_id, document)
  local deliveries, pending = deliveries_key .. id, pending_key .. id
  if redis.call('HLEN', deliveries) >= tonumber(kept_deliveries) then
    local last = oldest(deliveries)
    redis.call('HDEL', deliveries, last)
    redis.call('ZREM', pending, last)
  end
  local delivery = '{"type":"' .. type .. '","created_ms":' .. now .. ',"document":' .. document .. '}'
  redis.call('HSET', deliveries, notification_id, delivery)
  redis.call('ZADD', pending, now, notification_id)
  if tonumber(webhook[3] or 0) <= tonumber(now) then
    redis.call('ZADD', KEYS[6], 'LT', math.max(tonumber(now), tonumber(webhook[4] or 0)), id)
  end
end

local seen = redis.call('HGET', KEYS[3], tag) or '0-0'
local seen_ms, seen_number = string.match(seen, '^(%d+)-(%d+)$')
seen_ms, seen_number = tonumber(seen_ms), tonumber(seen_number)
local sequence = 0
for i = FIRST, #ARGV, SIZE do
  local ms, number, type, id, document = tonumber(ARGV[i]), tonumber(ARGV[i + 1]), unpack(ARGV, i + 2, i + 4)
  if ms > seen_ms or (ms == seen_ms and number > seen_number) then
    sequence = redis.call('HINCRBY', KEYS[3], 'sequence', 1)
    document = string.gsub(document, '"sequence":0', '"sequence":' .. sequence, 1)
    redis.call('XADD', KEYS[2], 'MAXLEN', kept, sequence .. '-0', 'n', document)
    for webhook_id, webhook in pairs(wanted) do
      if string.find(',' .. webhook[2] .. ',', ',' .. type .. ',', 1, true) then
        deliver(webhook_id, webhook, type, id, document)
      end
    end
  end
end
if sequence > 0 then
  redis.call('HSET', KEYS[3], tag, ARGV[#ARGV - 4] .. '-' .. ARGV[#ARGV - 3])
  redis.call('PEXPIRE', KEYS[2], kept_ms)
end
return sequence
