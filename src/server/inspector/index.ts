export { type Inspector, type InspectorOptions, type InspectorServer, inspector } from "./inspector.ts"
export type { KeepOptions } from "./kept-records.ts"
export type {
  PrefixMark,
  RecordedChild,
  RecordedEvent,
  RecordedMessage,
  RecordedRequest,
  RecordedSpan,
  RequestChange,
  TokenPrice,
  TurnOutcome,
  TurnRecord,
  TurnSummary,
} from "./turn-record.ts"
