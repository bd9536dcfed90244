package io.cloudmw.core.bulk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.bulk.frame.BulkViolation;
import io.cloudmw.core.bulk.frame.FrameHeader;
import io.cloudmw.core.bulk.frame.FrameLimits;
import io.cloudmw.core.bulk.frame.FrameType;
import io.cloudmw.core.wire.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The comparison of {@code docs/protocol.md} with the code. */
class ProtocolDocumentTest {
    private final String document = Files.readString(Path.of("..", "docs", "protocol.md"), UTF_8);

    ProtocolDocumentTest() throws IOException {}

    @Test
    void theFrameShownIsTheFrameSent() {
        byte[] payload = "CloudMW".getBytes(UTF_8);
        ByteBuf frame = Unpooled.buffer();
        new FrameHeader(FrameType.DATA, 1, payload.length, Payloads.crc32c(payload, 0, payload.length)).write(frame);
        frame.writeBytes(payload);
        String hex = ByteBufUtil.hexDump(frame).replaceAll("(..)(?=.)", "$1 ");
        assertThat(document).contains("\n" + hex + "\n");
    }

    @Test
    void theHeaderIsReadAsItWasWritten() throws Exception {
        for (FrameType type : FrameType.values()) {
            int length = type.allows(8) ? 8 : 0;
            FrameHeader header = new FrameHeader(type, type.ofConnection() ? 0 : 0x7FFF_FFFF, length, 0xDEAD_BEEF);
            ByteBuf bytes = Unpooled.buffer();
            header.write(bytes);
            assertThat(bytes.readableBytes()).isEqualTo(FrameHeader.BYTES);
            assertThat(FrameHeader.read(bytes, FrameLimits.MAX_DATA_BYTES)).isEqualTo(header);
        }
    }

    @Test
    void theTypesAreListedWithTheirCodesAndLengths() {
        List<MatchResult> rows = rows("\\| ([A-Z_]+) \\| (\\d+) \\| [^|]+\\| [^|]*\\| (\\d+)\\.\\.(\\d+) \\|");
        assertThat(rows).hasSize(FrameType.values().length);
        for (MatchResult row : rows) {
            FrameType type = FrameType.valueOf(row.group(1));
            int min = Integer.parseInt(row.group(3));
            int max = Integer.parseInt(row.group(4));
            assertThat(Integer.parseInt(row.group(2))).isEqualTo(type.code());
            assertThat(type.allows(min) && type.allows(max)).as(row.group()).isTrue();
            assertThat(type.allows(min - 1) || type.allows(max + 1))
                    .as(row.group())
                    .isFalse();
        }
    }

    @Test
    void theViolationsAreListed() {
        assertThat(rows("\\| `([a-z-]+)` \\| [^|]+\\|\n").stream().map(row -> row.group(1)))
                .containsExactlyElementsOf(Arrays.stream(BulkViolation.values())
                        .map(BulkViolation::tag)
                        .toList());
    }

    @Test
    void theVersionAndTheDefaultsAreAsDocumented() {
        BulkOptions defaults = BulkOptions.defaults();
        assertThat(document)
                .contains("now **" + ProtocolVersion.CURRENT + "**")
                .contains("| streams that one side has opened on a connection | " + defaults.maxStreams() + " |")
                .contains("| connections of a server | " + defaults.maxConnections() + " |")
                .contains("| payload of a data frame | " + (defaults.maxFrameBytes() >> 20) + " MiB |")
                .contains("with the socket | " + (defaults.outboundWatermarkBytes() >> 20) + " MiB and a frame |")
                .contains("sending on a stream | " + (defaults.streamQueueBytes() >> 20) + " MiB |")
                .contains("does not read | " + (defaults.controlQueueBytes() >> 20) + " MiB |")
                .contains("| connecting and handshake | "
                        + defaults.handshakeTimeout().toSeconds() + " s |")
                .contains("| nothing moves | " + defaults.idleTimeout().toSeconds() + " s |");
    }

    private List<MatchResult> rows(String pattern) {
        return Pattern.compile(pattern).matcher(document).results().toList();
    }
}
