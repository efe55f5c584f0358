import { TEXT_MAX_CHARACTERS } from '@muster/assisted-api';
import { givenEvents } from '@muster/testing';
import {
  MAX_NOTE_MESSAGE_LENGTH,
  MAX_NOTE_PROPS_LENGTH,
  noteDecider,
  NoteIntervals,
  type RecordNote,
} from './note.decider';

const note = (name: string, hostId: string) => ({
  name,
  severity: 'info',
  category: 'user',
  message: 'm',
  clusterId: '',
  hostId,
  infraEnvId: '',
});

describe('the interval between notes', () => {
  const intervals = new NoteIntervals(new Map([['upgrade', 1_000]]));
  intervals.recorded(note('upgrade', 'a'), 5_000);
  intervals.recorded(note('other', 'a'), 5_000);

  it.each([
    ['the same note about the same host within the interval', 'upgrade', 'a', 5_999, true],
    ['the same note after the interval', 'upgrade', 'a', 6_000, false],
    ['the same note after the clock was set back', 'upgrade', 'a', 4_999, false],
    ['the same note about another host', 'upgrade', 'b', 5_001, false],
    ['a note without an interval', 'other', 'a', 5_001, false],
  ])('%s', (_what, name, hostId, nowMs, tooSoon) => {
    expect(intervals.isTooSoon(note(name, hostId), nowMs)).toBe(tooSoon);
  });
});

const NOTE: RecordNote['note'] = {
  name: 'reboots_for_node',
  severity: 'info',
  category: 'user',
  message: 'Node master-0 rebooted twice.',
  clusterId: 'c',
  hostId: '',
  infraEnvId: '',
};
const when = (changes: Partial<RecordNote['note']>) =>
  givenEvents(noteDecider, []).when({ type: 'RecordNote', note: { ...NOTE, ...changes } });

describe('recording a note', () => {
  it('stores the note as given', () => when({}).then([{ type: 'NoteRecorded', data: NOTE }]));

  it('defaults to category user and severity info', () =>
    when({ category: '', severity: '' }).then([{ type: 'NoteRecorded', data: NOTE }]));

  it('stores the longest name that the API accepts', () => {
    const name = 'x'.repeat(TEXT_MAX_CHARACTERS);
    return when({ name }).then([{ type: 'NoteRecorded', data: { ...NOTE, name } }]);
  });

  it('stores properties of the maximum length, and the note without properties that are longer', async () => {
    const longest = { text: 'x'.repeat(MAX_NOTE_PROPS_LENGTH - '{"text":""}'.length) };
    await when({ props: longest }).then([{ type: 'NoteRecorded', data: { ...NOTE, props: longest } }]);
    await when({ props: { text: `${longest.text}x` } }).then([{ type: 'NoteRecorded', data: NOTE }]);
  });

  it.each([
    ['an unknown category', { category: 'gossip' }],
    ['an unknown severity', { severity: 'loud' }],
    ['no subject', { clusterId: '' }],
    ['no message', { message: '' }],
    ['a message that is too long', { message: 'x'.repeat(MAX_NOTE_MESSAGE_LENGTH + 1) }],
    ['a name that is too long', { name: 'x'.repeat(TEXT_MAX_CHARACTERS + 1) }],
  ])('is refused with %s', (_what, changes) => when(changes).then('invalid-input'));

  it('refuses an event without a message with the reason, and names no length that the API does not accept', () => {
    const { decision } = when({ message: '' });
    expect(decision).toMatchObject({ refusal: { subject: 'message', reason: 'The message of the event is empty.' } });
  });

  it('refuses a category with the allowed ones', () => {
    const { decision } = when({ category: 'gossip' });
    expect(decision).toMatchObject({ refusal: { subject: 'category', allowed: ['user', 'metrics'] } });
  });
});
