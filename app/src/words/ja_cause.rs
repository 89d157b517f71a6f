//! Japanese: causes that are stored in English.

use crate::model::AddressFault;
use crate::model::recorded::Recorded;
use crate::model::trouble::{Step, Told, Trouble};
use crate::model::unsendable::{Field, Unsendable};

pub(super) fn cause(stored: &str) -> String {
    match Recorded::parse(stored) {
        None => stored.to_owned(),
        Some(Recorded::Unsendable(fault)) => unsendable(fault),
        Some(Recorded::Trouble(told)) => trouble(&told),
        Some(Recorded::Vanished) => {
            "送信を担当したプロセスが、期限までに結果を残しませんでした。".into()
        }
        Some(Recorded::NotFoundTwice) => {
            "時間をおいて2回照会しましたが、送信サービスにありませんでした。".into()
        }
        Some(Recorded::LaterMailShown) => {
            "あとから送ったメールは記録に出ているのに、このメールは送信サービスにありませんでした。"
                .into()
        }
        Some(Recorded::RefusedAgain) => {
            "同じ依頼をもう一度送って確かめたところ、送信サービスに断られました。".into()
        }
        Some(Recorded::TooOld) => {
            "登録から時間がたちすぎたため、自動では送りません（期間の設定は DENPYO_MAX_AGE）。"
                .into()
        }
        Some(Recorded::OtherInstallation { set, kept }) => {
            format!("「{kept}」のデータベースが復元または複製され、「{set}」で動き始めたためです。")
        }
    }
}

fn trouble(told: &Told) -> String {
    let sentence = match told.trouble {
        Trouble::HostUnknown => "接続先のホスト名が見つかりませんでした",
        Trouble::Refused => "接続先に接続を拒否されました",
        Trouble::Unreachable => "接続先までネットワークが通じていません",
        Trouble::NoConnection => "接続できませんでした",
        Trouble::ConnectTimeout => "時間内に接続できませんでした",
        Trouble::Tls => "TLS での接続に失敗しました",
        Trouble::NoTls => "メールサーバーが TLS に対応していません",
        Trouble::NoSignIn => "メールサーバーがパスワードでのサインインに対応していません",
        Trouble::NoAnswer => "時間内に応答がありませんでした",
        Trouble::Cut => "途中で接続が切れました",
        Trouble::Unreadable => "応答を読み取れませんでした",
        Trouble::Incomplete => "応答がすべてそろいませんでした",
        Trouble::Build => "送信データを作れませんでした",
        Trouble::Fault => "プログラムの不具合で止まりました。詳しい内容はログにあります",
        Trouble::LeaseOver => "応答の期限までに時間が足りませんでした",
        Trouble::RequestDiffers => "同じ依頼をもう一度作ることができません",
        Trouble::Suppressed => {
            "以前の不達や迷惑メールの報告などを理由に、送信サービスがこの宛先への送信を止めています"
        }
        Trouble::InvalidMail => {
            "宛先などメールの内容に正しくないところがあると、送信サービスが判断しました"
        }
    };
    let at = told.step.map(|step| match step {
        Step::Message => "本文の送信中".to_owned(),
        step => format!("{} の段階", step.as_str()),
    });
    let waited = told.waited.as_ref().map(|s| format!("待ち時間 {s}秒"));
    match told.aside(at, waited).join("、") {
        aside if aside.is_empty() => format!("{sentence}。"),
        aside => format!("{sentence}（{aside}）。"),
    }
}

fn unsendable(fault: Unsendable) -> String {
    match fault {
        Unsendable::RecipientMissing => "宛先がありません。".into(),
        Unsendable::RecipientBad(fault) => address("宛先", fault),
        Unsendable::SubjectMissing => "件名がありません。".into(),
        Unsendable::SubjectControl(at) => {
            format!("件名の{at}文字目に、改行など使えない文字があります。")
        }
        Unsendable::NoBody => "本文がありません。".into(),
        Unsendable::BodyNul(field) => {
            format!("{}に、使えない文字（NUL）があります。", name(field))
        }
        Unsendable::BodyTooLarge(_) => "本文が大きすぎます（あわせて10 MBまで）。".into(),
        Unsendable::SenderBad(fault) => address("差出人", fault),
        Unsendable::SenderMissing => {
            "差出人がありません。設定（DENPYO_FROM）にもありません。".into()
        }
        Unsendable::ReplyToBad(fault) => address("返信先", fault),
        Unsendable::Unreadable(field) => {
            format!(
                "{}を文字として読めません（UTF-8 ではありません）。",
                name(field)
            )
        }
    }
}

fn name(field: Field) -> &'static str {
    match field {
        Field::Recipient => "宛先",
        Field::Subject => "件名",
        Field::BodyText => "本文",
        Field::BodyHtml => "HTML の本文",
        Field::ReplyTo => "返信先",
        Field::Sender => "差出人",
    }
}

fn address(of: &str, fault: AddressFault) -> String {
    use AddressFault as F;
    match fault {
        F::Empty => format!("{of}が空です。"),
        F::NoAt => format!("{of}に「@」がありません。"),
        F::Several { at } => {
            format!("{of}にアドレスが2つ以上あります（2つ目は{at}文字目から）。")
        }
        F::NoLocal => format!("{of}の「@」の前に何もありません。"),
        F::NoDomain => format!("{of}の「@」の後ろに何もありません。"),
        F::Control { at } => format!("{of}の{at}文字目に、改行など使えない文字があります。"),
        F::Blank { at } => format!("{of}の{at}文字目に、空白か見えない文字があります。"),
        F::WideLocal { at } | F::WideDomain { at } => {
            format!("{of}の{at}文字目に、全角などアドレスに使えない文字があります。")
        }
        F::Quoted => format!("{of}の「@」の前が引用符で囲まれていて、この形では送れません。"),
        F::Sign { at } => format!("{of}の{at}文字目に、アドレスに使えない記号があります。"),
        F::DomainDot { at } => format!("{of}の{at}文字目の「.」の前か後ろが空いています。"),
        F::DomainPart => {
            format!("{of}の「@」の後ろに、ハイフンで始まるか終わる部分か、長すぎる部分があります。")
        }
        F::LocalTooLong => format!("{of}の「@」の前が64文字を超えています。"),
        F::TooLong => format!("{of}が254文字を超えています。"),
        F::Named => format!("{of}に名前が付いています。アドレスだけを書いてください。"),
        F::Brackets => format!("{of}が「名前 <アドレス>」の形になっていません。"),
        F::NameTooLong => format!("{of}の名前が320文字を超えています。"),
    }
}
