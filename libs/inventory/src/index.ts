export { compactReports } from './compact-reports';
export { isLatencyBound } from './reports/connectivity.report';
export { CLOCK_OFFSET_CHANGE_SECONDS_MIN, hasClockMoved } from './reports/time.reports';
export { createReportReader, type ReportResult, type StepReport } from './read-report';
export { type Digest, type PendingBody, type Report, stepFailure, type StepOutput } from './report';
export { type InventoryCommand, inventoryDecider, isPartial, type ReportedState } from './reports-decider';
