import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DescMessage } from '@bufbuild/protobuf';
import { EVENTS_BY_CATEGORY, STREAM_OWNERS, type StreamCategory } from '.';

const PROTO = join(__dirname, '../../../proto/muster/v1');
const CATEGORIES = Object.keys(EVENTS_BY_CATEGORY) as StreamCategory[];

/** Returns the messages of each `---- events of <category>-… ----` section that are not part of another message. */
const eventsInProto = (): Record<string, string[]> => {
  const messages = new Map<string, string[]>();
  const parts = new Set<string>();
  for (const file of readdirSync(PROTO).filter((name) => name.endsWith('.proto'))) {
    let category: string | undefined;
    for (const line of readFileSync(join(PROTO, file), 'utf8').split('\n')) {
      const section = /^\/\/ ---- (?:events of (\w+)-)?/.exec(line);
      if (section || line.startsWith('service ')) category = section?.[1];
      if (!category) continue;
      const message = /^message (\w+)/.exec(line)?.[1];
      if (message) messages.set(category, [...(messages.get(category) ?? []), message]);
      const part = /^ {2}(?:optional |repeated )?([A-Z]\w+) \w+ = \d+;/.exec(line)?.[1];
      if (part) parts.add(part);
    }
  }
  return Object.fromEntries(
    [...messages].map(([category, names]) => [category, names.filter((name) => !parts.has(name)).sort()]),
  );
};

describe('EVENTS_BY_CATEGORY', () => {
  it('contains every event of proto/muster/v1 under its category and no other message', () => {
    const listed = Object.fromEntries(CATEGORIES.map((c) => [c, Object.keys(EVENTS_BY_CATEGORY[c]).sort()]));
    expect(listed).toEqual(eventsInProto());
  });

  it('has each event once, under the name of its message', () => {
    const entries = Object.values(EVENTS_BY_CATEGORY).flatMap((events) => Object.entries<DescMessage>(events));
    expect(new Set(entries.map(([type]) => type)).size).toBe(entries.length);
    for (const [type, schema] of entries) expect(schema.typeName).toBe(`muster.v1.${type}`);
  });

  it.each(CATEGORIES)('has an owner and unambiguous stream names for %s', (category) => {
    expect(STREAM_OWNERS[category]).toMatch(/^[a-z]+$/);
    expect(category).not.toContain('-');
  });

  it('has no owner for a category without events', () => {
    expect(Object.keys(STREAM_OWNERS).sort()).toEqual([...CATEGORIES].sort());
  });
});
