import { agentSubject, HEADERS, RegistrationService } from '@muster/contracts';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { HOST_ID, INFRA_ENV_ID } from '../sample-documents.fixture.spec';

const { nextSteps } = RegistrationService.method;
const COMMAND_ID = '7d444840-9dc0-41d1-b245-5ffdce74fad2';

describe('the position of the event store that an agent on the bus knows', () => {
  let gateway: RunningGateway;
  const start = async (storedEvents = 0): Promise<void> => {
    gateway = await startRunningGateway({}, { storedEvents });
    await gateway.answers(nextSteps, () => ({ instructions: [], nextInstructionSeconds: 60 }));
  };
  afterEach(() => gateway.close());

  const poll = (unusedUpTo?: string) =>
    gateway.bus.request(
      agentSubject(INFRA_ENV_ID, HOST_ID, 'next_steps'),
      {},
      { [HEADERS.commandId]: COMMAND_ID, ...(unusedUpTo !== undefined && { [HEADERS.unusedUpTo]: unusedUpTo }) },
      5_000,
    );
  const received = () => gateway.received.map(({ headers }) => headers[HEADERS.unusedUpTo]);

  it('is in each answer, and is accepted with the command ids that it creates afterwards', async () => {
    await start();
    await gateway.project(5, []);
    expect(await poll()).toMatchObject({ ok: { instructions: [] }, reachedPosition: 5 });
    await gateway.project(6, []);
    await poll('5');
    expect(await poll('6')).toHaveProperty('reachedPosition', 6);
    expect(received()).toEqual([undefined, '5', '6']);
  });

  it('is ignored when the store has not reached it, and when it is not a position', async () => {
    await start();
    await gateway.project(5, []);
    for (const text of ['6', '999999999999999', '-1', '4.5', 'all', '']) await poll(text);
    expect(received()).toEqual(Array.from({ length: 6 }, () => undefined));
  });

  it('is that of the store also while the read models are rebuilt, as for an agent over HTTP', async () => {
    await start(3);
    expect(await poll('2')).toHaveProperty('reachedPosition', 2);
    await poll('3');
    await gateway.call('GET', `${API}/v2/infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}/instructions`);
    expect(received()).toEqual(['2', undefined, '2']);
  });
});
