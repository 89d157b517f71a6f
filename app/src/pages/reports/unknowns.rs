//! Sends without a clear answer, and what the other sides of `DENPYO_ON_UNKNOWN` would have done.

use crate::components::{Table, heads, words};
use crate::model::Month;
use crate::model::protocol::OnUnknown;
use crate::model::sending::Range;
use crate::model::views::Unknowns;
use leptos::either::Either;
use leptos::prelude::*;

/// A line a setting.
#[component]
pub(super) fn Settings(sum: Unknowns, set: OnUnknown, month: Month) -> impl IntoView {
    let w = &words().sending;
    if sum.sum() == 0 {
        return Either::Left(view! { <p class="nothing">{w.unknowns_none}</p> });
    }
    let range = |range: Range| {
        let class = if range.most == 0 { "n zero" } else { "n" };
        view! { <td class=class>{(w.range)(range)}</td> }
    };
    let rows = [OnUnknown::Hold, OnUnknown::Synced, OnUnknown::Failed]
        .map(|setting| {
            let met = sum.met(setting);
            let waited = if met.waited + met.waiting > 0 {
                Either::Left(view! { <td class="n">{(w.waited)(&sum)}</td> })
            } else {
                Either::Right(range(Range::default()))
            };
            view! {
                <tr>
                    <th scope="row">
                        {(w.setting)(setting)}
                        {(setting == set).then(|| view! { <span class="tag">{w.is_set}</span> })}
                        " "
                        <small>
                            <code>{setting.as_str()}</code>
                        </small>
                    </th>
                    {range(met.twice)}
                    {range(met.none)}
                    {waited}
                </tr>
            }
        })
        .collect_view();
    Either::Right(view! {
        <p>{(w.unknowns_said)(&sum)}</p>
        <Table
            by="unknowns"
            class="tbl on-unknown"
            caption=(w.unknowns_caption)(month)
            heads=heads(w.unknowns_columns, 1)
        >
            <tbody>{rows}</tbody>
        </Table>
        <p class="note">
            {w.unknowns_note} " " {w.unknowns_setting} " " <code>"DENPYO_ON_UNKNOWN"</code>
        </p>
    })
}
