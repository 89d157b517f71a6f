//! The inside of a form that wants a reason: the field, and the button that sends it.

use super::{Submit, words};
use leptos::prelude::*;

/// The field and the button. Goes into an `ActionForm`.
#[component]
pub fn ReasonFields(
    /// The field's id in the page.
    field: String,
    /// Beside it: what is to be said there.
    note: &'static str,
    /// In the empty field.
    example: &'static str,
    /// The button.
    confirm: String,
    /// The reason was missing the last time: said beside the field.
    missing: bool,
    /// What was written into the field the last time.
    #[prop(optional)]
    value: String,
    /// The form is on its way.
    pending: Memo<bool>,
) -> impl IntoView {
    let r = &words().reason;
    let hint = format!("{field}-hint");
    let error = format!("{field}-error");
    let described = if missing {
        format!("{hint} {error}")
    } else {
        hint.clone()
    };
    let area = NodeRef::<leptos::html::Textarea>::new();
    // Blanks alone are no reason: said in the desk's language before anything is sent.
    let judge = move |()| {
        if let Some(area) = area.get_untracked() {
            let empty = area.value().trim().is_empty();
            area.set_custom_validity(if empty { r.missing } else { "" });
        }
    };
    view! {
        <div class="field">
            <label for=field.clone()>{r.reason}</label>
            <span class="hint" id=hint>
                {note}
            </span>
            <textarea
                node_ref=area
                on:input=move |_| judge(())
                id=field
                name="reason"
                rows="2"
                maxlength="1000"
                required
                placeholder=example
                aria-describedby=described
                aria-invalid=missing.then_some("true")
                // A child would go into the page as it is, unescaped.
                inner_html=as_text(&value)
            ></textarea>
            {missing
                .then(|| {
                    view! {
                        <span class="error" id=error>
                            {r.missing}
                        </span>
                    }
                })}
        </div>
        <div class="acts">
            <Submit label=confirm busy=r.busy pending pressed=judge />
        </div>
    }
    .into_any()
}

/// A text as HTML that shows just that text.
fn as_text(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::as_text;

    #[test]
    fn what_people_write_never_becomes_markup() {
        assert_eq!(
            as_text("</textarea><script>a && b</script>"),
            "&lt;/textarea&gt;&lt;script&gt;a &amp;&amp; b&lt;/script&gt;"
        );
    }
}
