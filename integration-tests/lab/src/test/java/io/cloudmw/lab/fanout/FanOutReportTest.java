package io.cloudmw.lab.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class FanOutReportTest {
    private static FanOutReport of(double... seconds) {
        FanOutReport report = new FanOutReport(new FanOutSettings(
                2,
                1,
                1 << 20,
                64 << 10,
                FanOutSettings.FanOut.FLAT,
                FanOutSettings.Hot.NONE,
                false,
                seconds.length,
                0,
                1,
                Optional.empty(),
                Hosts.NONE));
        for (double each : seconds) {
            report.add(new FanOutSample(each, 1 << 20, List.of(), 0, 0, new FanOutSample.Cpu(each, 0, 0)));
        }
        return report;
    }

    @Test
    void theMedianOfEvenlyManyRunsIsTheMeanOfTheTwoInTheMiddle() {
        assertThat(of(3, 1).json()).containsEntry("seconds", 2.0);
        assertThat(of(9, 1, 4, 2).json()).containsEntry("seconds", 3.0);
        assertThat(of(9, 1, 4).json()).containsEntry("seconds", 4.0);
        assertThat(of(5).json()).containsEntry("seconds", 5.0);
    }
}
