import type { ValidationEvent } from '@muster/contracts';
import { givenEvents } from '@muster/testing';
import type { HostConditions, Outcome } from '@muster/validation-rules';
import { type RecordedOutcomes, type OutcomeCommand, outcomeDecider } from './outcomes.decider';

const CONDITIONS: HostConditions = {
  connected: true,
  mediaConnected: true,
  inventory: 'none',
  minHardware: false,
  machineCidrDefined: true,
  vsphereDiskUuid: true,
  sufficientForInstall: false,
  diskSpeed: 'unknown',
  images: 'unknown',
  failingIds: [],
  hardwareIds: [],
  inputIds: [],
  preparationIds: [],
  pendingIds: [],
};
const outcome = (id: string, status: string): Outcome => ({
  id,
  status,
  message: status,
  category: 'hardware',
  measured: '',
  required: '',
  remedy: '',
});
const judge = (outcomes: readonly Outcome[], epoch = 1, conditions = CONDITIONS): OutcomeCommand => ({
  type: 'EvaluateHost',
  hostKey: 'h',
  epoch,
  outcomes,
  conditions,
});
const changed = (
  changes: readonly Outcome[],
  withdrawn: string[] = [],
  epoch = 1,
  conditions = CONDITIONS,
): ValidationEvent => ({
  type: 'HostOutcomesChanged',
  data: { hostKey: 'h', changed: [...changes], withdrawn, conditions, epoch },
});
const given = (...history: readonly ValidationEvent[]) =>
  givenEvents<RecordedOutcomes, OutcomeCommand, ValidationEvent>(outcomeDecider, history);
const [good, bad, other] = [outcome('a', 'success'), outcome('a', 'failure'), outcome('b', 'success')];

describe('a verdict', () => {
  it('stores only what changed', () => {
    given()
      .when(judge([good, other]))
      .then([changed([good, other])]);
    given(changed([good, other]))
      .when(judge([bad, other]))
      .then([changed([bad])]);
    given(changed([good, other]))
      .when(judge([good]))
      .then([changed([], ['b'])]);
  });

  it('stores nothing when nothing changed, in whatever order the outcomes come', () => {
    given(changed([good, other]))
      .when(judge([other, good]))
      .then([]);
  });

  it('is stored when only the conditions changed: an ignored rule changes no outcome', () => {
    const ignored = { ...CONDITIONS, sufficientForInstall: true };
    given(changed([bad]))
      .when(judge([bad], 1, ignored))
      .then([changed([], [], 1, ignored)]);
  });

  it('is given anew in a new epoch, and not at all in an earlier one', () => {
    given(changed([good]))
      .when(judge([good], 2))
      .then([changed([], [], 2)]);
    given(changed([good], [], 2))
      .when(judge([bad], 1))
      .then([]);
  });
});
