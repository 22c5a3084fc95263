//! The aggregate as a request of the OpenTelemetry protocol: the same families, names and units as OpenMetrics.
//! <https://opentelemetry.io/docs/specs/otlp/>, <https://opentelemetry.io/docs/specs/otel/metrics/data-model/>

use prost::Message as _;

use super::series::{Metric, metrics};
use crate::aggregate::Aggregate;
use crate::row::MetricKind;

/// The messages of <https://github.com/open-telemetry/opentelemetry-proto> (metrics v1), with the fields that are used.
mod proto {
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct ExportMetricsServiceRequest {
        #[prost(message, repeated, tag = "1")]
        pub resource_metrics: Vec<ResourceMetrics>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct ExportMetricsServiceResponse {
        #[prost(message, optional, tag = "1")]
        pub partial_success: Option<PartialSuccess>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct PartialSuccess {
        #[prost(int64, tag = "1")]
        pub rejected_data_points: i64,
        #[prost(string, tag = "2")]
        pub error_message: String,
    }

    /// `google.rpc.Status`, the body of a refusal.
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Status {
        #[prost(string, tag = "2")]
        pub message: String,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct ResourceMetrics {
        #[prost(message, optional, tag = "1")]
        pub resource: Option<Resource>,
        #[prost(message, repeated, tag = "2")]
        pub scope_metrics: Vec<ScopeMetrics>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Resource {
        #[prost(message, repeated, tag = "1")]
        pub attributes: Vec<KeyValue>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct KeyValue {
        #[prost(string, tag = "1")]
        pub key: String,
        #[prost(message, optional, tag = "2")]
        pub value: Option<AnyValue>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct AnyValue {
        #[prost(oneof = "Value", tags = "1, 3")]
        pub value: Option<Value>,
    }

    #[derive(Clone, PartialEq, prost::Oneof)]
    pub(super) enum Value {
        #[prost(string, tag = "1")]
        Text(String),
        #[prost(int64, tag = "3")]
        Int(i64),
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct ScopeMetrics {
        #[prost(message, optional, tag = "1")]
        pub scope: Option<Scope>,
        #[prost(message, repeated, tag = "2")]
        pub metrics: Vec<Metric>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Scope {
        #[prost(string, tag = "1")]
        pub name: String,
        #[prost(string, tag = "2")]
        pub version: String,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Metric {
        #[prost(string, tag = "1")]
        pub name: String,
        #[prost(string, tag = "2")]
        pub description: String,
        #[prost(string, tag = "3")]
        pub unit: String,
        #[prost(oneof = "Data", tags = "5, 7")]
        pub data: Option<Data>,
    }

    #[derive(Clone, PartialEq, prost::Oneof)]
    pub(super) enum Data {
        #[prost(message, tag = "5")]
        Gauge(Gauge),
        #[prost(message, tag = "7")]
        Sum(Sum),
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Gauge {
        #[prost(message, repeated, tag = "1")]
        pub data_points: Vec<Point>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Sum {
        #[prost(message, repeated, tag = "1")]
        pub data_points: Vec<Point>,
        /// `AGGREGATION_TEMPORALITY_CUMULATIVE` is 2.
        #[prost(int32, tag = "2")]
        pub aggregation_temporality: i32,
        #[prost(bool, tag = "3")]
        pub is_monotonic: bool,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Point {
        #[prost(fixed64, tag = "2")]
        pub start_time_unix_nano: u64,
        #[prost(fixed64, tag = "3")]
        pub time_unix_nano: u64,
        #[prost(double, optional, tag = "4")]
        pub as_double: Option<f64>,
        #[prost(message, repeated, tag = "7")]
        pub attributes: Vec<KeyValue>,
    }
}

use proto::{AnyValue, Data, ExportMetricsServiceRequest, KeyValue, Point, Value};

/// The body of a `POST` to `/v1/metrics`: the newest figures of one recording, whose file has the name `name`. A metric has
/// at most `top` series beside `other`. `version` is the version of the program.
///
/// The JVM is the resource: `service.name`, `service.instance.id` (the recording's random id), `process.pid`,
/// `process.runtime.version`, and the file as `weighbridge.recording`. Points have the labels of OpenMetrics, including
/// `recording` and `program`, and the time of the snapshot, which may be long ago.
pub fn request(aggregate: &Aggregate, name: &str, top: Option<usize>, version: &str) -> Vec<u8> {
    let scope = proto::Scope { name: "weighbridge".to_owned(), version: version.to_owned() };
    let last = |figure: fn(&crate::JvmRun) -> Option<u64>| aggregate.jvms.iter().filter_map(figure).max();
    let program = aggregate.jvms.last().and_then(|jvm| jvm.header.jvm.main.as_deref()).unwrap_or_default();
    let points = Points {
        labels: [("recording", name), ("program", program)],
        start: nanoseconds(last(|jvm| jvm.header.started_ms)),
        at: nanoseconds(last(|jvm| jvm.last.as_ref()?.at_ms)),
    };
    let metrics = metrics(aggregate, top).into_iter().map(|metric| points.message(metric)).collect();
    let resource = proto::Resource { attributes: resource(aggregate, name) };
    let scope_metrics = vec![proto::ScopeMetrics { scope: Some(scope), metrics }];
    let resource_metrics = vec![proto::ResourceMetrics { resource: Some(resource), scope_metrics }];
    ExportMetricsServiceRequest { resource_metrics }.encode_to_vec()
}

fn resource(aggregate: &Aggregate, name: &str) -> Vec<KeyValue> {
    let header = aggregate.jvms.last().map(|jvm| &jvm.header);
    let jvm = header.map(|header| &header.jvm);
    let text = |key: &str, text: Option<&String>| text.map(|text| attribute(key, Value::Text(text.clone())));
    // The semantic conventions define this name for a service without one.
    let program = jvm.and_then(|jvm| jvm.main.clone()).unwrap_or_else(|| "unknown_service:java".to_owned());
    let pid = jvm.and_then(|jvm| i64::try_from(jvm.pid?).ok());
    let known = [
        Some(attribute("service.name", Value::Text(program))),
        text("service.instance.id", header.and_then(|header| header.recording.as_ref())),
        pid.map(|pid| attribute("process.pid", Value::Int(pid))),
        text("process.runtime.name", jvm.and_then(|jvm| jvm.name.as_ref())),
        text("process.runtime.version", jvm.and_then(|jvm| jvm.version.as_ref())),
        Some(attribute("weighbridge.recording", Value::Text(name.to_owned()))),
    ];
    known.into_iter().flatten().collect()
}

fn attribute(key: &str, value: Value) -> KeyValue {
    KeyValue { key: key.to_owned(), value: Some(AnyValue { value: Some(value) }) }
}

/// In the protocol 0 means unknown.
fn nanoseconds(ms: Option<u64>) -> u64 {
    ms.unwrap_or(0).saturating_mul(1_000_000)
}

/// The common part of all points of a recording.
struct Points<'a> {
    labels: [(&'a str, &'a str); 2],
    start: u64,
    at: u64,
}

impl Points<'_> {
    fn message(&self, metric: Metric) -> proto::Metric {
        let counted = metric.kind == MetricKind::Counter;
        let point = |(labels, figure): (Vec<(&str, &str)>, f64)| Point {
            start_time_unix_nano: if counted { self.start } else { 0 },
            time_unix_nano: self.at,
            as_double: Some(figure),
            attributes: self
                .labels
                .iter()
                .chain(&labels)
                .map(|(key, value)| attribute(key, Value::Text((*value).to_owned())))
                .collect(),
        };
        let data_points = metric.series.into_iter().map(point).collect();
        let data = if counted {
            Data::Sum(proto::Sum { data_points, aggregation_temporality: 2, is_monotonic: true })
        } else {
            Data::Gauge(proto::Gauge { data_points })
        };
        // UCUM. Counts have no unit: Prometheus would turn `1` into a ratio.
        let unit = match metric.unit {
            "bytes" => "By",
            "seconds" => "s",
            _ => "",
        };
        proto::Metric {
            name: metric.name.to_owned(),
            description: metric.help.to_owned(),
            unit: unit.to_owned(),
            data: Some(data),
        }
    }
}

/// What a collector rejected although it answered with success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// Data points that it dropped; 0 if it only warns.
    pub points: u64,
    /// Why, in its words.
    pub message: String,
}

/// The partial success in the body of an answer 200; `None` if nothing was rejected or the body is no such message.
pub fn rejected(body: &[u8]) -> Option<Rejected> {
    let partial = proto::ExportMetricsServiceResponse::decode(body).ok()?.partial_success?;
    let points = u64::try_from(partial.rejected_data_points).unwrap_or(0);
    let message = partial.error_message;
    (points > 0 || !message.is_empty()).then_some(Rejected { points, message })
}

/// The sentence in the body of a refusal, if the body is a message of the protocol that has one.
pub fn refusal(body: &[u8]) -> Option<String> {
    proto::Status::decode(body).ok().map(|status| status.message).filter(|message| !message.is_empty())
}
