import { HOST_STAGES, hostStages, stagePercentage } from './stages';
import { command, day1, day2, entered, minute, progressed, registered, when, infoOf } from './host.fixture.spec';

const CONTROL_PLANE = { role: 'master', isBootstrap: false, isDay2: false, controlPlaneCount: 3, isKubeApi: false };

describe('the list of stages', () => {
  it.each([
    ['bootstrap', { isBootstrap: true }, 11],
    ['control plane', {}, 8],
    ['arbiter', { role: 'arbiter' }, 8],
    ['worker', { role: 'worker' }, 9],
    ['single node', { isBootstrap: true, controlPlaneCount: 1 }, 8],
    ['auto-assign', { role: 'auto-assign' }, 0],
  ] as const)('of %s', (_, more, length) => {
    const stages = hostStages({ ...CONTROL_PLANE, ...more });
    expect(stages).toHaveLength(length);
    if (length > 0) expect(stagePercentage('Done', stages)).toBe(100);
  });

  it('ends with the reboot for a day-2 host that is not watched afterwards', () => {
    const day2Worker = { ...CONTROL_PLANE, role: 'worker', isDay2: true };
    expect(hostStages(day2Worker).at(-1)).toBe('Rebooting');
    expect(hostStages({ ...day2Worker, isKubeApi: true }).at(-1)).toBe('Done');
  });

  it('gives whole percents, 0 for a stage that is not on it', () => {
    const stages = hostStages({ ...CONTROL_PLANE, role: 'worker' });
    expect(stages.map((stage) => stagePercentage(stage, stages))).toEqual([11, 22, 33, 44, 55, 66, 77, 88, 100]);
    expect(stagePercentage('Waiting for bootkube', stages)).toBe(0);
  });
});

describe('progress', () => {
  it('goes through the whole list to the end', () => {
    const stages = hostStages(CONTROL_PLANE);
    let history = day1('installing');
    for (const stage of stages) {
      const told = when(history, command('ReportProgress', { stage }));
      expect(told.state.progress).toMatchObject({ stage, percentage: stagePercentage(stage, stages) });
      history = [...history, ...told.events];
    }
    expect(when(history, command('FallSilent')).state.status).toBe('installed');
  });

  it('enters a status only once for several stages, and says the stage', () => {
    const first = when(day1('installing'), command('ReportProgress', { stage: 'Installing' }));
    const history = [...day1('installing'), ...first.events];
    const second = when(history, command('ReportProgress', { stage: 'Writing image to disk' }));
    expect(first.types).toEqual(['HostProgressed', 'HostEnteredStatus']);
    expect(second.types).toEqual(['HostProgressed', 'HostStatusExplained']);
    expect(infoOf(second.state)).toBe('Writing image to disk');
  });

  it('with other information moves the timer of the stage and nothing else', () => {
    const history = [...day1('installing-in-progress'), progressed('Installing')];
    const told = when(history, command('ReportProgress', { info: '50%', at: minute(7) }));
    expect(told.types).toEqual(['HostProgressed']);
    expect(told.events[0]?.data).toMatchObject({ stageChanged: false, installationPercentage: 10 });
    expect(told.state.progress).toMatchObject({ info: '50%', stageUpdatedAt: minute(7) });
    expect(told.state.progress.stageStartedAt).not.toBe(minute(7));
  });

  it('may skip stages but not go back, and the refusal says what may come', () => {
    const history = [...day1('installing-in-progress'), progressed('Installing')];
    expect(when(history, command('ReportProgress', { stage: 'Rebooting' })).refusal).toBeUndefined();
    const back = when([...history, progressed('Joined')], command('ReportProgress', { stage: 'Configuring' }));
    expect(back).toMatchObject({ refusal: 'not-allowed-in-state', allowed: ['Joined', 'Done'] });
  });

  it('of an unknown stage is refused with the stages there are', () => {
    const told = when(day1('installing'), command('ReportProgress', { stage: 'Dancing' }));
    expect(told).toMatchObject({ refusal: 'invalid-input', allowed: HOST_STAGES });
  });

  it('takes the first stage as it comes', () => {
    const told = when(day1('installing'), command('ReportProgress', { stage: 'Waiting for bootkube' }));
    expect(told.state.progress).toMatchObject({ stage: 'Waiting for bootkube', percentage: 0 });
  });

  it('that failed keeps how far the host came', () => {
    const history = [...day1('installing-in-progress'), progressed('Rebooting')];
    const told = when(history, command('ReportProgress', { stage: 'Failed', info: 'no bootable disk' }));
    expect(told.state).toMatchObject({
      status: 'error',
      failedBy: 'report',
      progress: { stage: 'Rebooting', percentage: 10 },
    });
    expect(infoOf(told.state)).toBe('Failed - no bootable disk');
  });

  it('of a day-2 host is done with its reboot', () => {
    const history = [...day2('installing-in-progress'), progressed('Writing image to disk')];
    const told = when(history, command('ReportProgress', { stage: 'Rebooting' }));
    expect(told.state).toMatchObject({
      status: 'added-to-existing-cluster',
      progress: { stage: 'Done', percentage: 100 },
    });
  });

  it('of a day-2 host under the Kubernetes API continues after its reboot', () => {
    const history = [...day2('installing-in-progress'), progressed('Writing image to disk')];
    const rebooting = when(history, command('ReportProgress', { stage: 'Rebooting', isKubeApi: true }));
    expect(rebooting.state).toMatchObject({ status: 'installing-in-progress', progress: { stage: 'Rebooting' } });
    const done = when([...history, ...rebooting.events], command('ReportProgress', { stage: 'Done', isKubeApi: true }));
    expect(done.state.status).toBe('added-to-existing-cluster');
  });

  it('of a single node is counted on its own list', () => {
    const history = [registered({ bootstrap: true }), entered('installing')];
    const told = when(history, command('ReportProgress', { stage: 'Waiting for bootkube', controlPlaneCount: 1 }));
    expect(told.state.progress).toMatchObject({ percentage: 37, isSingleNode: true });
  });
});
