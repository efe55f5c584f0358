import { EventsService, type HostKey, parseHostKey, RegistrationService, subjectOfMethod } from '@muster/contracts';
import type { JsonObject } from '@muster/ports';
import { eventually } from '@muster/testing';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

interface Note {
  readonly name: string;
  readonly hostId: string;
  readonly message: string;
}

describe('the event log', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  let key: HostKey;
  let hostId: string;
  let notes: Note[];
  /** The answer of the event log to the next note. */
  let refusedOnce: JsonObject | undefined;
  let listening: { readonly unsubscribe: () => void };
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());
  beforeEach(async () => {
    cluster = new TestCluster(running);
    running.reports.length = 0;
    await cluster.registerInfraEnv('');
    key = await cluster.registerHost();
    ({ hostId } = parseHostKey(key));
    notes = [];
    refusedOnce = undefined;
    const subject = subjectOfMethod(EventsService.method.recordNote);
    listening = running.platform.requests.subscribe(subject, async ({ body }): Promise<JsonObject> => {
      const { note } = body as {
        readonly note: { readonly name: string; readonly hostId: string; readonly message: string };
      };
      const refusal = refusedOnce;
      refusedOnce = undefined;
      if (refusal) return { refusal };
      if (note.hostId === hostId) notes.push(note);
      return { ok: { position: 1 } };
    });
  });
  afterEach(() => listening.unsubscribe());

  /** The messages of the failures, without their common beginning. */
  const reasons = async (count: number): Promise<readonly string[]> => {
    // The event log receives notes in the order of the replies.
    await cluster.reply(key, 'last-step', { exitCode: 1, error: 'last' });
    await eventually('all failures are recorded', () => notes.length > count);
    return notes.slice(0, -1).map(({ message }) => message.slice(message.indexOf(' failed: ') + ' failed: '.length));
  };
  const fail = (error: string, stepType = 'container-image-availability') =>
    cluster.reply(key, stepType, { exitCode: 1, error });

  it.each(['busy', 'unavailable'])(
    'contains the result of an upgrade that it could not store at first: %s',
    async (code) => {
      refusedOnce = { code, reason: 'The service events is not running' };
      await cluster.reply(key, 'upgrade-agent', { output: JSON.stringify({ result: 'success' }), exitCode: 0 });
      await eventually('the end is recorded', () => notes.length === 1);
      expect(notes).toMatchObject([{ name: 'upgrade_agent_finished', hostId }]);
      expect(running.log.join('\n')).not.toContain(`upgrade_agent_finished of host ${hostId} was not recorded`);
    },
  );

  it('does not get a note again that it refused', async () => {
    refusedOnce = { code: 'invalid-input', reason: 'An event needs a message.' };
    await cluster.reply(key, 'upgrade-agent', { output: JSON.stringify({ result: 'success' }), exitCode: 0 });
    await eventually('the refusal is logged', () =>
      running.log.join('\n').includes(`upgrade_agent_finished of host ${hostId} was not recorded`),
    );
    expect(notes).toEqual([]);
  });

  it('contains the upgrade of an agent and its result', async () => {
    const { infraEnvId } = parseHostKey(key);
    const image = { agent_image: 'quay.io/muster/agent:latest' };
    const reply = (output: object, error = '') =>
      cluster.reply(key, 'upgrade-agent', { output: JSON.stringify(output), exitCode: 0, error });
    await running.ask(method.nextSteps, { ...parseHostKey(key), discoveryAgentVersion: 'quay.io/muster/agent:old' });
    await eventually('the start is recorded', () => notes.length === 1);
    await reply({ ...image, result: 'success' });
    await eventually('the end is recorded', () => notes.length === 2);
    const reason = 'https://quay.io/token could not be read: no space left on device';
    await reply({ ...image, result: 'failure' }, reason.replace('/token', '/token?account=canary'));
    await reply({ ...image, result: 'failure' });
    await eventually('the failures are recorded', () => notes.length === 4);
    const props = expect.objectContaining({ host_id: hostId, infra_env_id: infraEnvId, ...image });
    const failed = { name: 'upgrade_agent_failed', severity: 'error', props };
    const start = `The agent of host ${hostId} could not be replaced by ${image.agent_image}`;
    const rest = 'The present agent keeps running and tries again at a later poll.';
    expect(notes).toEqual([
      expect.objectContaining({ name: 'upgrade_agent_started', severity: 'info', props }),
      expect.objectContaining({ name: 'upgrade_agent_finished', severity: 'info', props }),
      expect.objectContaining({ ...failed, message: `${start}: ${reason}. ${rest}` }),
      expect.objectContaining({ ...failed, message: `${start}. ${rest}` }),
    ]);
  });

  it('contains a failed step with its reason once per reason', async () => {
    for (const error of ['', 'The program podman is not installed on this machine.'])
      for (const _ of '12') await fail(error);
    await cluster.reply(key, 'ntp-synchronizer', { output: '{"ntp_sources":[]}' });
    expect(await reasons(2)).toEqual(['exit code 1', 'The program podman is not installed on this machine.']);
    expect(notes[0]).toMatchObject({
      name: 'host_step_failed',
      severity: 'warning',
      message: `The step container-image-availability of host ${hostId} failed: exit code 1`,
    });
  });

  it('contains a failed step once while only times and ids in its reason differ', async () => {
    const first = '03:11:07 pid 812: container 4be0f1c2aa90 of 7d444840-9dc0-11d1-b245-5ffdce74fad2 failed';
    await fail(first);
    await fail('03:12:09 pid 1077: container deadbeefcafe of 9b2e4c1a-beef-4fee-8abc-feedfacedeed failed');
    await fail('03:13:10 pid 1300: container c0ffee00c0ff of 0f0e0d0c-0b0a-4908-8706-050403020100 was removed');
    expect(running.reports).toHaveLength(2);
    expect(await reasons(2)).toEqual([first, expect.stringMatching(/ was removed$/)]);
  });

  it('contains a failed step without the query of a URL, which may be a token', async () => {
    await fail('Get "https://images.example.com/i?image_token=canary": refused');
    expect(await reasons(1)).toEqual(['Get "https://images.example.com/i": refused']);
  });

  it('contains the same reason again after the step succeeded', async () => {
    await fail('no route', 'ntp-synchronizer');
    await cluster.reply(key, 'ntp-synchronizer', { output: '{"ntp_sources":[]}' });
    await fail('no route', 'ntp-synchronizer');
    expect(running.reports.map(({ type }) => type)).toEqual(['StepFailed', 'NtpSourcesReported', 'StepFailed']);
    expect(await reasons(2)).toEqual(['no route', 'no route']);
  });

  it('contains the same reason again after a user has reset the validation of the step', async () => {
    cluster = new TestCluster(running);
    await cluster.register();
    await cluster.registerInfraEnv();
    key = await cluster.registerHost();
    ({ hostId } = parseHostKey(key));
    await fail('no route');
    await running.ask(method.resetHostValidation, {
      ...parseHostKey(key),
      validationId: 'container-images-available',
    });
    await fail('no route');
    expect(running.reports.map(({ type }) => type)).toEqual(['StepFailed', 'StepFailed']);
    expect(await reasons(2)).toEqual(['no route', 'no route']);
  });

  it('contains a reason that could not be recorded with the next failure of the step', async () => {
    refusedOnce = { code: 'busy', reason: 'The service events does not answer' };
    await fail('no route');
    await eventually('the note is refused', () => refusedOnce === undefined);
    await cluster.reply(key, 'last-step', { exitCode: 1, error: 'other' });
    await fail('no route');
    expect(await reasons(2)).toEqual(['other', 'no route']);
  });

  it('contains a reason once that the validations lack, which they get with the next failure of the step', async () => {
    running.inventoryRefuses({ code: 'unavailable', reason: 'The event store is not available' });
    await fail('no route');
    await fail('no route');
    running.inventoryRefuses(undefined);
    for (const _ of '12') await fail('no route');
    expect(running.reports.map(({ type }) => type)).toEqual(['StepFailed', 'StepFailed', 'StepFailed']);
    expect(await reasons(1)).toEqual(['no route']);
  });

  it('contains the same reason again after an hour, and after the machine registered again', async () => {
    await fail('no route');
    running.clock.advance(60 * 60_000);
    await fail('no route');
    await cluster.registerHost(hostId);
    await fail('no route');
    await fail('no route');
    expect(await reasons(3)).toEqual(['no route', 'no route', 'no route']);
  });
});
