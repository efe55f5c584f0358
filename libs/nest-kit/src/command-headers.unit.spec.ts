import { HEADERS } from '@muster/contracts';
import { seededIds } from '@muster/testing';
import { fromHeaders, toHeaders } from './call-service';

const FULL = {
  commandId: 'c',
  unusedUpTo: 0,
  correlationId: 'r',
  causationId: 'e',
  requestId: 'q',
  actor: 'ann',
  org: 'acme',
  user: 'ann',
  sourceAddress: '192.0.2.1',
};

describe('headers of a command', () => {
  it('are converted to the context of the command and back', () => {
    expect(Object.keys(toHeaders(FULL)).sort()).toEqual(Object.values(HEADERS).sort());
    expect(fromHeaders(toHeaders(FULL), seededIds())).toEqual(FULL);
  });

  it('omit unknown values', () => {
    expect(toHeaders({ commandId: 'c', correlationId: 'r', actor: 'ann', org: '' })).toEqual({
      [HEADERS.commandId]: 'c',
      [HEADERS.correlationId]: 'r',
      [HEADERS.actor]: 'ann',
    });
  });

  it('omit a position that is not one, so that the command may be a repetition', () => {
    for (const text of ['', '-1', '1.5', 'NaN', '0x1', '1'.repeat(16)])
      expect(fromHeaders({ [HEADERS.unusedUpTo]: text }, seededIds()).unusedUpTo).toBeUndefined();
  });

  it('when absent, make the message its own cause with an unknown caller', () => {
    const id = seededIds().uuid();
    expect(fromHeaders({}, seededIds())).toMatchObject({ commandId: id, correlationId: id, actor: 'unknown' });
  });
});
