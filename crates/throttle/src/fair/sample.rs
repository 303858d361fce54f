//! The mean of some times, and how sure it is.

use weir_units::Micros;

/// Times, added up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    pub(crate) count: f64,
    sum: f64,
    squares: f64,
}

impl Sample {
    pub(crate) fn add(&mut self, time: f64) {
        self.count += 1.0;
        self.sum += time;
        self.squares += time * time;
    }

    /// The mean; nothing where there is none.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.count > 0.0 && self.sum > 0.0).then(|| self.sum / self.count)
    }

    /// The variance of the mean, as a share of its square, where that of one time is known to be at least `spread`: how far
    /// off the mean may be, and its logarithm too.
    pub(crate) fn error_squared(&self, spread: f64) -> f64 {
        let Some(mean) = self.mean() else { return 1.0 };
        let variance = self.squares / self.count / (mean * mean) - 1.0;
        variance.max(spread) / self.count
    }
}

/// A mean of means.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Weighted {
    weight: f64,
    sum: f64,
    variance: f64,
}

impl Weighted {
    /// Adds the mean of a sample, where the variance of one time is known to be at least `spread`.
    pub(crate) fn add(&mut self, sample: &Sample, weight: f64, spread: f64) {
        let part = weight * sample.mean().unwrap_or(0.0);
        self.weight += weight;
        self.sum += part;
        self.variance += part * part * sample.error_squared(spread);
    }

    /// The mean; nothing where there is none.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.weight > 0.0 && self.sum > 0.0).then(|| self.sum / self.weight)
    }

    /// The variance of the mean, as a share of its square.
    pub(crate) fn error_squared(&self) -> f64 {
        self.variance / (self.sum * self.sum)
    }
}

/// A time as a number that can be multiplied; 71 minutes at most.
pub(crate) fn time(time: Micros) -> f64 {
    f64::from(u32::try_from(time.count()).unwrap_or(u32::MAX))
}

/// The nearest whole number of places.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, and nothing else converts a fraction"
)]
pub(crate) fn whole(number: f64) -> u32 {
    number.round() as u32
}
