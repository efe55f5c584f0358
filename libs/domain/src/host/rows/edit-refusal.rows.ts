import { type HostRow, refuse } from '../guards';
import { HOST_ROLES } from '../status';
import { DISCOVERY, EDITABLE, statusesExcept } from '../status';

const LATE_EDIT = 'This can be changed only before the installation begins; the host is past that.';
/** Choices that come too late. */
export const EDIT_REFUSAL_ROWS: readonly HostRow[] = [
  refuse({
    id: 'assign-unknown-role',
    on: 'AssignRole',
    from: EDITABLE,
    code: 'invalid-input',
    reason: 'There is no such role; choose one of the allowed ones.',
    when: { roleKnown: [false] },
    subject: 'host_role',
    allowed: () => HOST_ROLES,
  }),
  refuse({
    id: 'role-too-late',
    on: 'AssignRole',
    from: statusesExcept(EDITABLE),
    code: 'invalid-input',
    reason: LATE_EDIT,
  }),
  refuse({
    id: 'suggestion-too-late',
    on: 'SuggestRole',
    from: statusesExcept(DISCOVERY),
    code: 'not-allowed-in-state',
    reason: 'Roles are suggested for hosts that are being inspected in a cluster.',
  }),
  refuse({
    id: 'bootstrap-too-late',
    on: 'ChooseBootstrap',
    from: statusesExcept(DISCOVERY, ['preparing-for-installation']),
    code: 'not-allowed-in-state',
    reason: 'The bootstrap host is chosen before any host is prepared.',
  }),
  refuse({
    id: 'name-too-late',
    on: 'Rename',
    from: statusesExcept(EDITABLE),
    code: 'invalid-input',
    reason: LATE_EDIT,
  }),
  refuse({
    id: 'disk-too-late',
    on: 'ChooseInstallationDisk',
    from: statusesExcept(EDITABLE, ['installing-in-progress']),
    code: 'invalid-input',
    reason: LATE_EDIT,
  }),
  refuse({
    id: 'disk-being-written',
    on: 'ChooseInstallationDisk',
    from: ['installing-in-progress'],
    code: 'invalid-input',
    reason: LATE_EDIT,
    when: { byPerson: [true] },
  }),
  refuse({
    id: 'settings-too-late',
    on: 'ReviseSettings',
    from: statusesExcept(EDITABLE),
    code: 'invalid-input',
    reason: LATE_EDIT,
    when: { forgetsToken: [false] },
  }),
];
