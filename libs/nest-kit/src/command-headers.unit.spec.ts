import { HEADERS } from '@muster/contracts';
import { seededIds } from '@muster/testing';
import { fromHeaders, toHeaders } from './call-service';

const FULL = {
  commandId: 'c',
  correlationId: 'r',
  causationId: 'e',
  requestId: 'q',
  actor: 'ann',
  org: 'acme',
  user: 'ann',
  sourceAddress: '192.0.2.1',
};

describe('the headers of a command', () => {
  it('carry the caller and the command in both directions', () => {
    expect(Object.keys(toHeaders(FULL)).sort()).toEqual(Object.values(HEADERS).sort());
    expect(fromHeaders(toHeaders(FULL), seededIds())).toEqual(FULL);
  });

  it('leave out what is not known', () => {
    expect(toHeaders({ commandId: 'c', correlationId: 'r', actor: 'ann', org: '' })).toEqual({
      [HEADERS.commandId]: 'c',
      [HEADERS.correlationId]: 'r',
      [HEADERS.actor]: 'ann',
    });
  });

  it('that are missing make the message its own cause, from an unknown caller', () => {
    const id = seededIds().uuid();
    expect(fromHeaders({}, seededIds())).toMatchObject({ commandId: id, correlationId: id, actor: 'unknown' });
  });
});
