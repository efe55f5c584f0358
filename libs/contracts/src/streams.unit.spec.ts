import fc from 'fast-check';
import { EVENTS_BY_CATEGORY, hostKeyOf, parseHostKey, parseStreamId, streamIdOf, type StreamCategory } from '.';

const category = fc.constantFrom(...(Object.keys(EVENTS_BY_CATEGORY) as StreamCategory[]));

describe('names of streams', () => {
  it('are read as they were written, whatever the id', () => {
    fc.assert(
      fc.property(category, fc.string(), (name, id) => {
        expect(parseStreamId(streamIdOf(name, id))).toEqual({ category: name, id });
      }),
    );
  });

  it('are split at the first dash, for ids have dashes of their own', () => {
    expect(parseStreamId('infraEnv-6f9619ff-8b86')).toEqual({ category: 'infraEnv', id: '6f9619ff-8b86' });
  });
});

describe('keys of hosts', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (infraEnvId, hostId) => {
        expect(parseHostKey(hostKeyOf(infraEnvId, hostId))).toEqual({ infraEnvId, hostId });
        expect(parseStreamId(streamIdOf('host', hostKeyOf(infraEnvId, hostId))).id).toBe(`${infraEnvId}.${hostId}`);
      }),
    );
  });
});
