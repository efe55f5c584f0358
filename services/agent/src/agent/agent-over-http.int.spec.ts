import { eventually } from '@muster/testing';
import { type Answer, HOST_ID, INFRA_ENV_ID, machineThatCan, registered, startAgent } from './agent.fixture.spec';

const INSTRUCTIONS = `/hosts/${HOST_ID}/instructions`;
const steps = (...types: string[]): Answer => ({
  status: 200,
  json: {
    next_instruction_seconds: 1,
    post_step_action: 'continue',
    instructions: types.map((step_type) => ({ step_type, step_id: `${step_type}-1`, args: ['[]'] })),
  },
});

describe('an agent over HTTP', () => {
  let stop: () => Promise<void>;
  const start = async (...options: Parameters<typeof startAgent>) => {
    const agent = await startAgent(...options);
    stop = agent.stop;
    return agent;
  };
  afterEach(() => stop());

  it('registers, polls, runs the step and replies as the v2 API requires', async () => {
    const { service } = await start(
      ({ method, url }) => {
        if (method === 'POST' && url.pathname.endsWith('/hosts')) return registered('quay.io/agent:1');
        return method === 'GET' ? steps('verify-vips') : { status: 204 };
      },
      { 'verify-vips': async () => [] },
    );
    await eventually('a reply arrives', () => service.of('POST', INSTRUCTIONS).length > 0);

    const [registration] = service.of('POST', '/hosts');
    expect(registration?.url.pathname).toBe(`/api/assisted-install/v2/infra-envs/${INFRA_ENV_ID}/hosts`);
    expect(registration?.headers).toMatchObject({
      'x-secret-key': 'secret',
      discovery_agent_version: 'quay.io/agent:0',
    });
    expect(registration?.body).toEqual({ host_id: HOST_ID, discovery_agent_version: 'quay.io/agent:0' });

    const [poll] = service.of('GET', INSTRUCTIONS);
    expect(poll?.url.search).toBe('?timestamp=1700000000');
    // The agent sends the version that the registration returned.
    expect(poll?.headers['discovery_agent_version']).toBe('quay.io/agent:1');

    expect(service.of('POST', INSTRUCTIONS)[0]?.body).toEqual({
      step_type: 'verify-vips',
      step_id: 'verify-vips-1',
      exit_code: 0,
      output: '[]',
      error: '',
    });
  });

  it('polls as the executable that it is, also after it registered again at an upgraded service', async () => {
    let polls = 0;
    const { service, of } = await start(
      ({ method, url }) => {
        if (method === 'POST' && url.pathname.endsWith('/hosts')) return registered('muster-host:2');
        polls += 1;
        return { status: 200, json: { instructions: null, post_step_action: polls === 1 ? 'exit' : 'continue' } };
      },
      {},
      { agentVersion: 'muster-host:1', keepsVersion: true },
    );
    await eventually('the agent polls in its second session', () => polls > 1);
    const versions = service.calls.map(({ headers }) => headers['discovery_agent_version']);
    expect(new Set(versions)).toEqual(new Set(['muster-host:1']));
    expect(of('registered')[1]).toMatchObject({ agentVersion: 'muster-host:1' });
  });

  it('runs the steps of a registered host without a registration, until the host reboots', async () => {
    const types = ['download-boot-artifacts', 'reboot-for-reclaim'];
    const order = JSON.stringify({ host_fs_mount_dir: '/host', kernel_url: 'k', initrd_url: 'i', rootfs_url: 'r' });
    const done: string[] = [];
    const { service } = await start(
      ({ method }) => {
        const type = method === 'GET' ? types.shift() : undefined;
        if (!type) return { status: method === 'GET' ? 503 : 204 };
        const instructions = [{ step_type: type, step_id: `${type}-1`, args: [order] }];
        const post_step_action = type === 'reboot-for-reclaim' ? 'exit' : 'continue';
        return { status: 200, json: { next_instruction_seconds: 1, post_step_action, instructions } };
      },
      {
        'download-boot-artifacts': async ({ hostFsMountDir, kernelUrl }) => void done.push(hostFsMountDir, kernelUrl),
        'reboot-for-reclaim': async () => void done.push('reboot'),
      },
      { isRegistered: true },
    );
    await eventually('the host reboots', () => done.includes('reboot'));
    expect(done).toEqual(['/host', 'k', 'reboot']);
    expect(service.of('POST', '/hosts')).toEqual([]);
  });

  it('sends an unchanged result once, and again after the service failed', async () => {
    let polls = 0;
    const { service, of } = await start(
      ({ method, url }) => {
        if (method === 'POST' && url.pathname.endsWith('/hosts')) return registered();
        if (method === 'POST') return { status: 204 };
        polls += 1;
        return polls === 4 ? { status: 500, json: { reason: 'broken' } } : steps('verify-vips');
      },
      { 'verify-vips': async () => [] },
    );
    await eventually('the first polls are over', () => polls >= 4);
    expect(service.of('POST', INSTRUCTIONS)).toHaveLength(1);
    await eventually('the result is sent again', () => service.of('POST', INSTRUCTIONS).length === 2);
    await eventually('more polls', () => polls >= 8);
    expect(service.of('POST', INSTRUCTIONS)).toHaveLength(2);
    expect(of('reply-unchanged').length).toBeGreaterThan(0);
  });

  it.each([
    ['installation-disk-speed-check', ['{"path":"/dev/sda"}', '30'], { path: '/dev/sda', io_sync_duration: 5 }],
    ['container-image-availability', ['{"images":["quay.io/a:1"],"timeout":9}'], { images: [] }],
  ] as const)(
    'sends each measurement of %s, because a reset of a validation requests another',
    async (type, args, result) => {
      const instructions = [{ step_type: type, step_id: `${type}-1`, args }];
      const { service } = await start(
        ({ method, url }) => {
          if (method === 'POST' && url.pathname.endsWith('/hosts')) return registered();
          return method === 'POST' ? { status: 204 } : { status: 200, json: { instructions } };
        },
        { [type]: async () => result },
      );
      await eventually('a second result arrives', () => service.of('POST', INSTRUCTIONS).length > 1);
      const { body } = service.of('POST', INSTRUCTIONS)[1] ?? {};
      expect(body).toMatchObject({ step_type: type, exit_code: 0, output: JSON.stringify(result) });
    },
  );

  it('replies with exit code -1 to an unknown step', async () => {
    const { service } = await start(({ method, url }) =>
      method === 'POST' && url.pathname.endsWith('/hosts')
        ? registered()
        : method === 'GET'
          ? steps('execute')
          : { status: 204 },
    );
    await eventually('a reply arrives', () => service.of('POST', INSTRUCTIONS).length > 0);
    expect(service.of('POST', INSTRUCTIONS)[0]?.body).toMatchObject({ exit_code: -1, output: '' });
  });

  it('runs steps concurrently, and does not start a running step again', async () => {
    let begun = 0;
    let polls = 0;
    const { service } = await start(
      ({ method, url }) => {
        if (method === 'POST' && url.pathname.endsWith('/hosts')) return registered();
        if (method === 'GET') polls += 1;
        return method === 'GET' ? steps('stop-installation', 'verify-vips') : { status: 204 };
      },
      {
        'stop-installation': (_order, signal) => {
          begun += 1;
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
        },
        'verify-vips': async () => [],
      },
    );
    await eventually(
      'other steps are answered while one runs',
      () => service.of('POST', INSTRUCTIONS).length > 0 && polls > 3,
    );
    expect(begun).toBe(1);
  });

  describe('whose installer runs', () => {
    const order = { role: 'master', cluster_id: 'c', infra_env_id: 'i', host_id: HOST_ID, boot_device: '/dev/sda' };
    const args = [JSON.stringify({ ...order, controller_image: 'quay.io/c:1', installer_image: 'quay.io/i:1' })];
    const install = { status: 200, json: { instructions: [{ step_type: 'install', step_id: 'install-1', args }] } };
    /** Without an installer, the agent registers again after fewer failed polls. */
    const FAILED_POLLS = 40;

    it('keeps polling during an outage of more than 15 minutes', async () => {
      let polls = 0;
      const { service, of } = await start(
        ({ method, url }) => {
          if (method === 'POST' && url.pathname.endsWith('/hosts')) return registered();
          if (method === 'POST') return { status: 204 };
          polls += 1;
          return polls === 1 ? install : polls <= FAILED_POLLS ? { status: 500 } : steps('verify-vips');
        },
        {
          install: (_order, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
          'verify-vips': async () => [],
        },
      );
      await eventually('the service is available again', () => service.of('POST', INSTRUCTIONS).length > 0);
      expect(of('leaving')).toEqual([]);
      expect(service.of('POST', '/hosts')).toHaveLength(1);
    });

    it('polls without a registration, and does not start the installer again, after the agent was restarted', async () => {
      const machine = { ...machineThatCan({ install: async () => undefined }), isInstalling: async () => true };
      const { service, of } = await start(
        ({ method }) => (method === 'GET' ? install : { status: 500 }),
        {},
        { machine },
      );
      await eventually('the agent polls', () => service.of('GET', INSTRUCTIONS).length > 2);
      expect(service.of('POST', '/hosts')).toEqual([]);
      expect(of('step-started')).toEqual([]);
    });
  });

  it.each([false, true])('registers again when the service ends the session, installer runs: %s', async (isRunning) => {
    let stopped = 0;
    const can = machineThatCan({ 'stop-installation': async () => void (stopped += 1) });
    const machine = { ...can, isInstalling: async () => isRunning };
    const instructions = [{ step_type: 'stop-installation', step_id: 'stop-installation-1', args: [] }];
    const exit = { status: 200, json: { instructions, post_step_action: 'exit' } };
    const { service, of } = await start(({ method }) => (method === 'GET' ? exit : registered()), {}, { machine });
    await eventually('a second registration', () => service.of('POST', '/hosts').length >= 2);
    expect(of('leaving')[0]).toMatchObject({ reason: 'the service ended this session' });
    expect(stopped).toBeGreaterThan(0);
  });

  describe('after an upgrade', () => {
    /** Starts an agent whose service requests an upgrade until the agent reports one. */
    const startOutdated = (endsAfterUpgrade: boolean, result: 'success' | 'failure' = 'success') => {
      let version = 'quay.io/agent:1';
      return start(
        ({ method, url }) => {
          if (method === 'POST' && url.pathname.endsWith('/hosts')) return registered(version);
          if (method === 'POST') version = 'quay.io/agent:2';
          const upgrade = { step_type: 'upgrade-agent', args: ['{"agent_image":"quay.io/agent:2"}'] };
          return {
            status: method === 'GET' ? 200 : 204,
            json: { next_instruction_seconds: 60, instructions: version.endsWith('1') ? [upgrade] : [] },
          };
        },
        { 'upgrade-agent': async ({ image }) => ({ agent_image: image, result }) },
        { endsAfterUpgrade },
      );
    };

    it('registers with its new version', async () => {
      const { service } = await startOutdated(false);
      await eventually('the agent polls with the new version', () =>
        service.of('GET', INSTRUCTIONS).some(({ headers }) => headers['discovery_agent_version'] === 'quay.io/agent:2'),
      );
      expect(service.of('POST', '/hosts').length).toBe(2);
    });

    it('ends instead when the new program is started in its place', async () => {
      const { of, running, service } = await startOutdated(true);
      await running;
      expect(of('halted')).toEqual([{ type: 'halted', reason: 'the agent image was upgraded' }]);
      expect(service.of('POST', INSTRUCTIONS)).toHaveLength(1);
      expect(service.of('POST', '/hosts')).toHaveLength(1);
    });

    it('continues when the upgrade failed', async () => {
      const { service } = await startOutdated(true, 'failure');
      await eventually('the agent polls again', () => service.of('GET', INSTRUCTIONS).length > 1);
    });
  });

  it.each([401, 403, 404, 409])('stops with the reason when its registration is answered with %d', async (status) => {
    const { service, of } = await start(() => ({ status, json: { code: String(status), reason: 'not this one' } }));
    await eventually('the reason is logged', () => of('halted').length > 0);
    expect(of('halted')[0]).toMatchObject({ reason: expect.stringContaining('not this one') });
    expect(service.of('POST', '/hosts')).toHaveLength(1);
  });

  it('continues while the service is unavailable: closed connections, then 503, then 500', async () => {
    let tries = 0;
    const { service } = await start(({ method, url }) => {
      if (method === 'POST' && url.pathname.endsWith('/hosts')) {
        tries += 1;
        return tries <= 2 ? 'hang up' : tries <= 5 ? { status: 503 } : tries === 6 ? { status: 500 } : registered();
      }
      return steps();
    });
    await eventually('it polls', () => service.of('GET', INSTRUCTIONS).length > 0);
    expect(tries).toBe(7);
  });

  it.each([302, 401, 403, 404, 409])('continues when a proxy answers with %d for the service', async (status) => {
    const left: Record<string, number> = { GET: 5, POST: 5 };
    const { service } = await start(({ method }) =>
      (left[method] = (left[method] ?? 0) - 1) >= 0 ? { status } : method === 'POST' ? registered() : steps(),
    );
    await eventually('it polls again', () => service.of('GET', INSTRUCTIONS).length > 6);
  });

  it('stops polling when the service does not have the host any more', async () => {
    const { service, of } = await start(({ method }) =>
      method === 'POST' ? registered() : { status: 404, json: { reason: 'no such host' } },
    );
    await eventually('the reason is logged', () => of('halted').length > 0);
    expect(service.of('GET', INSTRUCTIONS)).toHaveLength(1);
    expect(service.of('POST', '/hosts')).toHaveLength(1);
  });
});
