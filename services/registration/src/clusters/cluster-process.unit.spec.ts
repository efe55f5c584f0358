import { clusterDecider } from '@muster/domain';
import { conditionsOf } from './cluster-process';

const state = { ...clusterDecider.initialState(), status: 'insufficient' as const };
const failing = { id: 'network-type-valid', status: 'failure', parameters: [] };

describe('conditions of a cluster', () => {
  it('are computed once while its state and its outcomes are the same', () => {
    const entry = { state, outcomes: new Map() };
    expect(conditionsOf(entry)).toBe(conditionsOf({ ...entry }));
  });

  it('follow new outcomes, new conditions and a new state', () => {
    const found = conditionsOf({ state, outcomes: new Map() });
    const conditions = { pendingInputsGiven: true, vipsDefined: false, requiredPassed: false };
    expect(conditionsOf({ state, outcomes: new Map([[failing.id, failing]]) })?.failingIds).toContain(failing.id);
    expect(found?.failingIds).not.toContain(failing.id);
    expect(conditionsOf({ state, conditions, outcomes: new Map() })).toMatchObject(conditions);
    expect(conditionsOf({ state: { ...state, status: 'installing' }, outcomes: new Map() })).toBeUndefined();
  });
});
