//! Worker processes: started, killed, stopped and woken up.

use crate::Trouble;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::time::Instant;

/// How a worker's command is made; its number from 0 is the argument.
pub type Recipe = Box<dyn Fn(usize) -> Result<std::process::Command, Trouble> + Send + Sync>;

/// The processes of one run; they end with it.
pub struct Fleet {
    recipe: Recipe,
    slots: Vec<Slot>,
    /// Processes that SIGKILL was sent to.
    pub killed: u32,
    /// Processes that were stopped and woken up again.
    pub stopped: u32,
    /// Processes that ended although nobody had killed them.
    pub ended: u32,
}

struct Slot {
    child: Child,
    /// Until when it is stopped.
    stopped: Option<Instant>,
}

impl Fleet {
    /// Starts so many.
    pub fn start(processes: usize, recipe: Recipe) -> Result<Fleet, Trouble> {
        let slots = (0..processes)
            .map(|number| {
                Ok(Slot {
                    child: spawn(&recipe, number)?,
                    stopped: None,
                })
            })
            .collect::<Result<_, Trouble>>()?;
        Ok(Fleet {
            recipe,
            slots,
            killed: 0,
            stopped: 0,
            ended: 0,
        })
    }

    /// SIGKILL, and a new process in its place.
    pub async fn kill(&mut self, number: usize) -> Result<(), Trouble> {
        let slot = &mut self.slots[number];
        if slot.child.try_wait()?.is_none() {
            slot.child.kill().await?;
            self.killed += 1;
        } else {
            self.ended += 1;
        }
        slot.stopped = None;
        slot.child = spawn(&self.recipe, number)?;
        Ok(())
    }

    /// SIGSTOP, for as long as that.
    pub async fn stop(&mut self, number: usize, time: Duration) -> Result<(), Trouble> {
        let slot = &mut self.slots[number];
        if slot.stopped.is_none() && signal(&slot.child, "STOP").await {
            slot.stopped = Some(Instant::now() + time);
        }
        Ok(())
    }

    /// When the next stopped process wants to be woken up.
    pub fn next_waking(&self) -> Option<Instant> {
        self.slots.iter().filter_map(|slot| slot.stopped).min()
    }

    /// Wakes up whose time has come (`all`: whoever is stopped), and replaces what has ended.
    pub async fn look_after(&mut self, all: bool) -> Result<(), Trouble> {
        for number in 0..self.slots.len() {
            let slot = &mut self.slots[number];
            if slot.child.try_wait()?.is_some() {
                self.ended += 1;
                slot.stopped = None;
                slot.child = spawn(&self.recipe, number)?;
            }
            if slot
                .stopped
                .is_some_and(|until| all || until <= Instant::now())
            {
                if signal(&slot.child, "CONT").await {
                    self.stopped += 1;
                }
                slot.stopped = None;
            }
        }
        Ok(())
    }
}

fn spawn(recipe: &Recipe, number: usize) -> Result<Child, Trouble> {
    let mut command = Command::from(recipe(number)?);
    command.stdin(Stdio::null()).kill_on_drop(true);
    Ok(command.spawn()?)
}

/// Sends a signal by the system's `kill`; a process that has ended gets none.
async fn signal(child: &Child, name: &str) -> bool {
    let Some(pid) = child.id() else {
        return false;
    };
    let kill = format!("kill -{name} {pid}");
    let status = Command::new("sh").args(["-c", &kill]).status().await;
    status.is_ok_and(|s| s.success())
}
