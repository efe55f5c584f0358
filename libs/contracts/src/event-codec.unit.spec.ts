import type { DescMessage } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { arbitraryPlain } from './arbitrary-message.fixture.spec';
import { EventShapeError, toStoredData } from './event-codec';
import { EVENTS_BY_CATEGORY, type MusterEvent } from './event-types';

const EVENTS = Object.values(EVENTS_BY_CATEGORY).flatMap((events) => Object.entries<DescMessage>(events));
const event = (type: string, data: unknown): MusterEvent => ({ type, data }) as MusterEvent;

describe('the stored form of events', () => {
  it.each(EVENTS)(
    'of %s equals the given data, does not change when stored again, and is plain JSON',
    (type, schema) => {
      fc.assert(
        fc.property(arbitraryPlain(schema), (data) => {
          const stored = toStoredData(event(type, data));
          expect(stored).toMatchObject(data);
          expect(toStoredData(event(type, stored))).toEqual(stored);
          expect(JSON.parse(JSON.stringify(stored))).toEqual(stored);
        }),
        { numRuns: 25 },
      );
    },
  );

  it.each(EVENTS)('of %s contains every implicit field of an empty message', (type, schema) => {
    const implicit = schema.fields
      .filter((field) => field.fieldKind !== 'message' && !field.proto.proto3Optional)
      .map((field) => field.jsonName);
    expect(Object.keys(toStoredData(event(type, {}))).sort()).toEqual(implicit.sort());
  });

  it('omits properties that are undefined at any depth', () => {
    const settings = { name: 'lab', sshPublicKey: undefined };
    const stored = toStoredData(event('ClusterRegistered', { settings, owner: undefined, operators: undefined }));
    expect(stored.settings).toEqual(toStoredData(event('ClusterRegistered', { settings: { name: 'lab' } })).settings);
    expect(stored).not.toHaveProperty('owner');
  });

  it.each([
    ['an unknown field', { requestedHostname: 'x', colour: 'red' }, /HostRenamed.*colour/],
    ['a field of another type', { requestedHostname: 4 }, /HostRenamed.requested_hostname/],
    ['a value that is not an object', 'text', /HostRenamed/],
    ['a list', [], /HostRenamed/],
  ])('throws EventShapeError with the cause for %s', (_, data, message) => {
    const storing = (): unknown => toStoredData(event('HostRenamed', data));
    expect(storing).toThrow(EventShapeError);
    expect(storing).toThrow(message);
  });

  it('throws for a type that is not in the list', () => {
    expect(() => toStoredData(event('HostInvented', {}))).toThrow(EventShapeError);
    expect(() => toStoredData(event('constructor', {}))).toThrow(/event-types/);
  });
});
