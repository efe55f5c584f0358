import {
  AccessDeniedError,
  CancelledError,
  DeadlineExceededError,
  NotLeaderError,
  StreamNotFoundError,
  TimeoutError,
  UnavailableError,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { type ServiceError, Metadata } from '@grpc/grpc-js';
import { addressOf, Connection, explainFailure } from './connection';

const failure = (message: string, code = 14): ServiceError =>
  Object.assign(new Error(message), { code, details: message, metadata: new Metadata() });
const notLeader = (): NotLeaderError => {
  const error = failure('Leader info available', 5);
  error.metadata.set('leader-endpoint-host', '10.0.0.2');
  error.metadata.set('leader-endpoint-port', '2113');
  return new NotLeaderError(error);
};

describe('errors of the EventStoreDB client', () => {
  it.each([
    ['a reset connection', new UnavailableError(failure('14 UNAVAILABLE: read ECONNRESET')), true, false],
    ['a refused connection', new UnavailableError(failure('14 UNAVAILABLE: connect ECONNREFUSED')), false, false],
    ['no connection', new UnavailableError(failure('14 UNAVAILABLE: No connection established')), false, false],
    ['a dropped connection', new UnavailableError(failure('14 UNAVAILABLE: Connection dropped')), true, false],
    ['a passed deadline without a text', new DeadlineExceededError(), true, true],
    ['a timeout of the server', new TimeoutError(failure('10 ABORTED', 10)), true, true],
    ['a starting server', new UnknownError(undefined, 'Could not recognize Server Is Not Ready'), true, true],
    ['a reset stream', new UnknownError(failure('13 INTERNAL: Received RST_STREAM with code 0', 13)), true, true],
    ['a request cancelled by the server', new CancelledError(failure('1 CANCELLED', 1)), true, false],
    ['a node that is not the leader', notLeader(), false, false],
    ['a discovery without a node', new Error('Failed to discover after 10 attempts.'), false, true],
    ['a channel that was closed', new Error('Channel has been shut down'), false, true],
    ['an error of the transport', failure('4 DEADLINE_EXCEEDED: Deadline exceeded', 4), true, true],
  ])('%s is converted to Unavailable', (_, error, isOutcomeUnknown, needsNewClient) => {
    expect(explainFailure(error)).toMatchObject({ isOutcomeUnknown, needsNewClient, isRefused: false });
    expect(explainFailure(error)?.reason).not.toBe('');
  });

  it('have a reason without the empty note of the client', () => {
    const connect = '14 UNAVAILABLE: No connection established. Last error: connect ECONNREFUSED 10.0.0.5:2113';
    const error = new UnavailableError(failure(`${connect}. Resolution note: `));
    expect(explainFailure(error)?.reason).toBe(connect);
  });

  it.each([
    ['wrong credentials', new AccessDeniedError(failure('16 UNAUTHENTICATED: bad password', 16))],
    [
      'a certificate',
      new UnavailableError(failure('14 UNAVAILABLE: No connection established. Last error: self-signed certificate')),
    ],
  ])('%s is converted to a refusal that a retry does not change', (_, error) => {
    expect(explainFailure(error)).toMatchObject({ isRefused: true, isOutcomeUnknown: false });
  });

  it.each([
    ['an unknown stream', new StreamNotFoundError(failure('not found', 5), 'a-b')],
    [
      'a wrong version',
      new WrongExpectedVersionError(undefined as never, { streamName: 'a-b', current: 3n, expected: 2n } as never),
    ],
    ['a defect', new TypeError('x is undefined')],
    ['a message that is too large', failure('8 RESOURCE_EXHAUSTED: Received message larger than max', 8)],
  ])('%s is not converted, because it is about the request', (_, error) => {
    expect(explainFailure(error)).toBeUndefined();
  });
});

describe('address of an EventStoreDB URL', () => {
  it.each([
    ['esdb://10.0.0.5:2113?tls=false', '10.0.0.5:2113'],
    ['esdb+discover://admin:secret@a:2113,b:2113/?tls=true', 'a:2113,b:2113'],
    ['esdb://admin:se%40cret@a:2113', 'a:2113'],
    ['esdb://admin:se/cret@a:2113,b:2113/?tls=true', 'a:2113,b:2113'],
    ['esdb://admin:se?cret@a:2113', 'a:2113'],
    ['esdb://admin:secret@a:2113?connectionName=me@home', 'a:2113'],
  ])('of %s is %s', (url, address) => expect(addressOf(url)).toBe(address));

  it.each([
    'esdb://admin@cret@a',
    'esdb://admin:se@cret@a:2113',
    'esdb://admin:se@cr/et@a:2113',
    'esdb://admin:se@cr?et@a:2113?tls=true',
    'esdb://admin:se@cr=et@a:2113?tls=true',
  ])('throws when a part of the password could be read as a host: %s', (url) => {
    expect(() => addressOf(url)).toThrow(/Write an "@" .* as %40/);
    expect(() => addressOf(url)).not.toThrow(/cr|et@/);
  });
});

describe('URL of EventStoreDB', () => {
  const urlWith = (options: string): string => `esdb://admin:se/cret@127.0.0.1:1/?${options}`;

  it('is not in the warnings of the client about its options, which are printed once', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const connection = new Connection(urlWith('tls=false&tlsVerifyCert=false&other=1'), 50);
    const timedOut = connection.read(() => new Promise<never>(() => undefined));
    await expect(timedOut).rejects.toThrow('EventStoreDB at 127.0.0.1:1 is not available: no answer within 0.05 s');
    await connection.close();
    const printed = warn.mock.calls.flat();
    warn.mockRestore();
    expect(printed).toEqual([
      expect.stringMatching(/^"tlsVerifyCert" is not currently supported by this client/),
      'Unknown option key "other", setting will be ignored.',
    ]);
    expect(printed.join('\n')).not.toMatch(/cret/);
  });

  it.each([
    ['esdb://admin:secret', 'Unexpected text at position 13, expected port number.'],
    [urlWith('tls=maybe'), 'Unexpected text at position 38, expected true or false.'],
  ])('is not in the error about a wrong one: %s', (url, message) => {
    expect(() => new Connection(url)).toThrow(new Error(message));
  });
});
