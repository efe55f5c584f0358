export {
  type ProblemCode,
  PROBLEMS,
  type Refusal,
  RefusalError,
  toProblemDocument,
  toV2Error,
  toV2InfraError,
} from './problems';
