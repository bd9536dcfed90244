package io.cloudmw.client.tree;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * The mapping between the names of local files and their names in a volume. A local name is bytes; a name in a volume
 * is text without control characters. Immutable.
 */
public enum NameStyle {
    /** A name is the same on both sides. A name that a volume cannot have is refused. */
    PLAIN {
        @Override
        String inVolume(Path path) {
            String name = String.valueOf(path.getFileName());
            if (!path.equals(path.resolveSibling(name))) {
                throw new IllegalArgumentException("its name is not text in this machine's encoding (expected: "
                        + Charset.defaultCharset() + ", or --names=escape)");
            }
            if (name.chars().anyMatch(NameStyle::isControl)) {
                throw new IllegalArgumentException(
                        "its name contains a control character (expected: none, or --names=escape)");
            }
            return name;
        }

        @Override
        Path onThisMachine(Path directory, String name) {
            return LocalNames.in(directory, directory.getFileSystem().getPath(name));
        }
    },

    /**
     * Bytes of control characters, bytes that are not UTF-8, and {@code %} are written {@code %XX} in a volume, with
     * capital digits. The mapping is one to one. A name that this style does not write is no local name.
     */
    ESCAPED {
        @Override
        String inVolume(Path path) {
            return escaped(bytes(path));
        }

        @Override
        Path onThisMachine(Path directory, String name) {
            LocalNames.require(name, directory.getFileSystem().getSeparator());
            return LocalNames.in(directory, path(unescaped(name)));
        }
    };

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    /** Marks, embeddings, overrides and isolates of the direction of text. */
    private static final String DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069";

    /**
     * The name in a volume of a local file.
     *
     * @throws IllegalArgumentException when it can have none
     */
    abstract String inVolume(Path path);

    /**
     * The local path of a file of a volume.
     *
     * @throws IllegalArgumentException when it can have none
     */
    abstract Path onThisMachine(Path directory, String name);

    private static boolean isControl(int c) {
        return c < 0x20 || c == 0x7f;
    }

    /**
     * Returns whether a terminal would not show the character but do something else: move the cursor, or reverse the
     * direction of text.
     */
    private static boolean isUnprintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE ->
                true;
            default -> DIRECTIONS.indexOf(c) >= 0;
        };
    }

    /** A path for display, in one line: names that are not text, or have control characters, are escaped. */
    static String shown(Path path) {
        String text = path.toString();
        if (text.codePoints().noneMatch(c -> isUnprintable(c) || c == '\ufffd')) {
            return text;
        }
        StringBuilder shown = new StringBuilder(path.isAbsolute() ? "/" : "");
        for (int i = 0; i < path.getNameCount(); i++) {
            shown.append(i > 0 ? "/" : "").append(printable(escaped(bytes(path.getName(i)))));
        }
        return shown.toString();
    }

    /** A text for display, in one line: its control characters are escaped. */
    public static String printable(String text) {
        StringBuilder shown = new StringBuilder();
        text.codePoints().forEach(c -> {
            if (isUnprintable(c)) {
                for (byte one : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
                    append(shown, one);
                }
            } else {
                shown.appendCodePoint(c);
            }
        });
        return shown.toString();
    }

    static String escaped(byte[] name) {
        StringBuilder text = new StringBuilder();
        int at = 0;
        while (at < name.length) {
            int length = Math.min(lengthOfCharacter(name[at]), name.length - at);
            String character = text(name, at, length);
            if (character.isEmpty() || character.equals("%") || isControl(character.charAt(0))) {
                append(text, name[at]);
                at++;
            } else {
                text.append(character);
                at += length;
            }
        }
        return text.toString();
    }

    /** The number of bytes of a UTF-8 character that begins so. */
    private static int lengthOfCharacter(byte first) {
        int ones = Integer.numberOfLeadingZeros(~(first << 24));
        return Math.max(1, Math.min(4, ones));
    }

    /** Empty when the bytes are no character. */
    private static String text(byte[] bytes, int from, int length) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes, from, length))
                    .toString();
        } catch (CharacterCodingException e) {
            return "";
        }
    }

    private static void append(StringBuilder text, byte value) {
        text.append('%').append(HEX.toHexDigits(value));
    }

    /**
     * The bytes of an escaped name.
     *
     * @throws IllegalArgumentException when {@link #escaped} gives the name for no bytes
     */
    static byte[] unescaped(String name) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int at = 0;
        while (at < name.length()) {
            int percent = name.indexOf('%', at);
            int end = percent < 0 ? name.length() : percent;
            bytes.writeBytes(name.substring(at, end).getBytes(StandardCharsets.UTF_8));
            at = end;
            if (percent >= 0) {
                bytes.write(escapedByte(name, percent));
                at = percent + 3;
            }
        }
        byte[] found = bytes.toByteArray();
        if (!escaped(found).equals(name)) {
            throw notEscaped();
        }
        return found;
    }

    private static int escapedByte(String name, int percent) {
        boolean digits = percent + 3 <= name.length()
                && HexFormat.isHexDigit(name.charAt(percent + 1))
                && HexFormat.isHexDigit(name.charAt(percent + 2));
        if (!digits) {
            throw notEscaped();
        }
        int value = HexFormat.fromHexDigits(name, percent + 1, percent + 3);
        if (value == 0) {
            throw new IllegalArgumentException("its name has a byte 0, which no file of this machine can have");
        }
        return value;
    }

    private static IllegalArgumentException notEscaped() {
        return new IllegalArgumentException(
                "its name was not written by --names=escape (expected: %XX for control characters and %25 for %, or "
                        + "--names=plain)");
    }

    /** The bytes of the last name of a path. The path's URI keeps bytes that are not text. */
    private static byte[] bytes(Path path) {
        URI uri = path.toUri();
        if (!"file".equals(uri.getScheme())) {
            return String.valueOf(path.getFileName()).getBytes(StandardCharsets.UTF_8);
        }
        String all = uri.getRawPath();
        String raw = all.endsWith("/") ? all.substring(0, all.length() - 1) : all;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int at = raw.lastIndexOf('/') + 1; at < raw.length(); at++) {
            char c = raw.charAt(at);
            if (c == '%') {
                bytes.write(HexFormat.fromHexDigits(raw, at + 1, at + 3));
                at += 2;
            } else {
                bytes.write(c);
            }
        }
        return bytes.toByteArray();
    }

    private static Path path(byte[] name) {
        StringBuilder raw = new StringBuilder("file:///");
        for (byte value : name) {
            append(raw, value);
        }
        return FileSystems.getDefault()
                .provider()
                .getPath(URI.create(raw.toString()))
                .getFileName();
    }
}
