import { randomUUID } from 'node:crypto';
import { agentSubject, HEADERS, RegistrationService } from '@muster/contracts';
import { eventually, manualClock } from '@muster/testing';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { INFRA_ENV_ID } from '../sample-documents.fixture.spec';
import { GROUPED_POLLS_MAX } from './held-polls';

const HOSTS = `${API}/v2/infra-envs/${INFRA_ENV_ID}/hosts`;
const { nextSteps } = RegistrationService.method;

describe('the polls of hosts', () => {
  const clock = manualClock();
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway({}, { clock });
  });
  afterEach(() => gateway.close());

  /** Number of requests to the service. A busy machine repeats one with the same command id. */
  const requestCount = (): number => new Set(gateway.received.map(({ headers }) => headers[HEADERS.commandId])).size;

  it('are answered in groups when the hosts wait, and otherwise immediately', async () => {
    await gateway.answers(nextSteps, () => ({ instructions: [], nextInstructionSeconds: 60 }));
    const hostIds = Array.from({ length: GROUPED_POLLS_MAX }, () => randomUUID());
    const pollAll = (some: readonly string[]) =>
      Promise.all(some.map((id) => gateway.call('GET', `${HOSTS}/${id}/instructions`)));
    await pollAll(hostIds);
    await pollAll(hostIds);
    expect(requestCount()).toBe(2 * hostIds.length);
    clock.advance(60_000);
    const [first = '', ...others] = hostIds;
    const answered: string[] = [];
    const alone = pollAll([first]).then(() => answered.push(first));
    const onBus = gateway.bus.request(agentSubject(INFRA_ENV_ID, others[0] ?? '', 'next_steps'), {}, {}, 5_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(answered).toEqual([]);
    expect(requestCount()).toBe(2 * hostIds.length);
    await pollAll(others.slice(1));
    await Promise.all([alone, onBus]);
    expect(requestCount()).toBe(3 * hostIds.length);
  });

  it('are answered before the gateway stops, although they wait for others or are held', async () => {
    // The second request is that of the held poll, because the other one waits.
    const holdSeconds = [0, 20];
    await gateway.answers(nextSteps, () => ({ instructions: [], holdSeconds: holdSeconds.shift() ?? 0 }));
    const poll = (id: string) => gateway.call('GET', `${HOSTS}/${id}/instructions`);
    const [waiting, held] = [randomUUID(), randomUUID()];
    await poll(waiting);
    clock.advance(60_000);
    const polls = Promise.all([poll(held), poll(waiting)]);
    await eventually('the held poll asked for its steps', async () => gateway.received.length >= 2);
    await gateway.close();
    expect((await polls).map(({ status }) => status)).toEqual([200, 200]);
  });
});
