package io.weighbridge.runtime.jvm;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/**
 * The size of an instance by HotSpot's rules, where the JVM does not tell offsets.
 *
 * <p>Wrong for classes with padding for {@code @Contended}, or with fields that reflection hides or the VM injects: 0.7 % of
 * java.base's classes, hardly any of a program's.
 */
final class FieldLayout {
    private final int referenceBytes;
    /** From JDK 15 on fields fill gaps that superclasses left (JDK-8237767). */
    private final boolean fillsGaps;
    private final List<int[]> gaps = new ArrayList<>();
    private int end;

    private FieldLayout(int headerBytes, int referenceBytes, int feature) {
        this.end = headerBytes;
        this.referenceBytes = referenceBytes;
        this.fillsGaps = feature >= 15;
    }

    /** Bytes before alignment to the object alignment. */
    static long bytes(Class<?> type, FieldAccess access, int headerBytes, int referenceBytes, int feature) {
        FieldLayout layout = new FieldLayout(headerBytes, referenceBytes, feature);
        layout.add(type, access);
        return layout.end;
    }

    private void add(Class<?> type, FieldAccess access) {
        if (type == null) {
            return;
        }
        add(type.getSuperclass(), access);
        int[] primitives = new int[9];
        int references = 0;
        for (Field field : access.declaredFields(type)) {
            if (Modifier.isStatic(field.getModifiers())) {
                continue;
            }
            if (field.getType().isPrimitive()) {
                primitives[width(field.getType())]++;
            } else {
                references++;
            }
        }
        if (fillsGaps) {
            for (int width = 8; width > 0; width >>= 1) {
                layOut(width, primitives[width]);
            }
            layOut(referenceBytes, references);
        } else {
            append(primitives, references);
        }
    }

    private void layOut(int width, int number) {
        for (int i = 0; i < number; i++) {
            int[] best = null;
            for (int[] gap : gaps) {
                if (align(gap[0], width) + width <= gap[1] && (best == null || gap[1] - gap[0] < best[1] - best[0])) {
                    best = gap;
                }
            }
            int from = best == null ? end : best[0];
            int to = best == null ? Integer.MAX_VALUE : best[1];
            gaps.remove(best);
            int at = align(from, width);
            leave(from, at);
            if (best == null) {
                end = at + width;
            } else {
                leave(at + width, to);
            }
        }
    }

    private void leave(int from, int to) {
        if (from < to) {
            gaps.add(new int[] {from, to});
        }
    }

    /** JDK 14 and older: one gap before the first long may be filled, each class ends on a reference's width. */
    private void append(int[] primitives, int references) {
        int left = references;
        int start = end;
        if (primitives[8] > 0) {
            int aligned = align(start, 8);
            int gap = aligned - start;
            for (int width = 4; width > 0; width >>= 1) {
                while (gap >= width && primitives[width] > 0) {
                    gap -= width;
                    primitives[width]--;
                    if (width == 4) {
                        break;
                    }
                }
            }
            if (gap >= referenceBytes && left > 0) {
                left--;
            }
            start = aligned;
        }
        for (int width = 8; width > 0; width >>= 1) {
            start += primitives[width] * width;
        }
        if (left > 0) {
            start = align(start, referenceBytes) + left * referenceBytes;
        }
        end = align(start, referenceBytes);
    }

    static int width(Class<?> primitive) {
        if (primitive == long.class || primitive == double.class) {
            return 8;
        } else if (primitive == int.class || primitive == float.class) {
            return 4;
        }
        return primitive == byte.class || primitive == boolean.class ? 1 : 2;
    }

    static int align(int offset, int width) {
        return offset + width - 1 & -width;
    }
}
