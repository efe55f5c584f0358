import fc from 'fast-check';
import { EVENTS_BY_CATEGORY, hostKeyOf, parseHostKey, parseStreamId, streamIdOf, type StreamCategory } from '.';

const category = fc.constantFrom(...(Object.keys(EVENTS_BY_CATEGORY) as StreamCategory[]));

describe('stream names', () => {
  it('parse to the category and id that they were created from', () => {
    fc.assert(
      fc.property(category, fc.string(), (name, id) => {
        expect(parseStreamId(streamIdOf(name, id))).toEqual({ category: name, id });
      }),
    );
  });

  it('split at the first dash, because ids contain dashes', () => {
    expect(parseStreamId('infraEnv-6f9619ff-8b86')).toEqual({ category: 'infraEnv', id: '6f9619ff-8b86' });
  });
});

describe('host keys', () => {
  it('parse to the infra-env and host that they were created from', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (infraEnvId, hostId) => {
        expect(parseHostKey(hostKeyOf(infraEnvId, hostId))).toEqual({ infraEnvId, hostId });
        expect(parseStreamId(streamIdOf('host', hostKeyOf(infraEnvId, hostId))).id).toBe(`${infraEnvId}.${hostId}`);
      }),
    );
  });
});
