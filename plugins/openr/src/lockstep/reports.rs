//! Reports on the links of all objects.
use crate::{counters::LinkReport, object_runner::ObjectRunner, service::ServiceName};

/// Returns the reports of all links of all objects.
pub(crate) fn link_reports(cells: &[ObjectRunner]) -> Vec<LinkReport> {
    let mut reports = Vec::new();
    for (id, object_runner) in cells.iter().enumerate() {
        let services = object_runner
            .interface
            .subjects
            .iter()
            .zip(&object_runner.services.subjects);
        for (service, end) in services {
            reports.extend(end.links.iter().map(|link| {
                LinkReport {
                    subject: service.name.to_string(),
                    observer: observer_name(cells, link.to.object, link.to.observer)
                        .map_or_else(String::new, ToString::to_string),
                    queued: link.queued(),
                    credit: link.credit,
                    ends: [id, link.to.object],
                    counters: link.counters,
                }
            }));
        }
    }
    reports
}

fn observer_name(cells: &[ObjectRunner], object: usize, observer: usize) -> Option<&ServiceName> {
    let service = cells.get(object)?.interface.observers.get(observer)?;
    Some(&service.name)
}
