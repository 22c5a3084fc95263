package com.acme.named;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjIntConsumer;

/**
 * Makes objects of a class whose name has a character above U+FFFF, which no file name of this checkout has. Needs
 * {@code --add-opens java.base/java.lang=ALL-UNNAMED} for {@code calls}.
 */
public final class Main extends ClassLoader {
    private static final String PLAIN = "com/acme/named/Plain";
    /** U+1D4B2, a letter. */
    private static final String NAMED = "com/acme/named/\uD835\uDCB2x";
    private static final String BRIDGE = "java.lang.Weighbridge$77656967682e2e2e";
    private static final List<Object> MADE = new ArrayList<>();
    private static final int UTF8 = 1;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;

    private Main() {
        super(Main.class.getClassLoader());
    }

    public static void main(String[] arguments) throws Exception {
        Class<?> named = new Main().define();
        System.out.println("ready");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            if (line.equals("calls")) {
                System.out.println(calls(named));
                continue;
            }
            for (int i = 0; i < Integer.parseInt(line.split(" ")[1]); i++) {
                Object made = named.getDeclaredConstructor().newInstance();
                named.getMethod("once").invoke(made);
                MADE.add(made);
            }
            System.out.println("done");
        }
    }

    /** How often the constructor calls what is in the bridge: 0 if the class has its own bytes. */
    private static int calls(Class<?> named) throws ReflectiveOperationException {
        Field live = Class.forName(BRIDGE).getDeclaredField("LIVE");
        live.setAccessible(true);
        Object was = live.get(null);
        AtomicInteger calls = new AtomicInteger();
        ObjIntConsumer<Object> count = (object, id) -> calls.incrementAndGet();
        live.set(null, count);
        named.getDeclaredConstructor().newInstance();
        live.set(null, was);
        return calls.get();
    }

    private Class<?> define() throws IOException {
        byte[] bytes;
        try (InputStream input = getResourceAsStream(PLAIN + ".class")) {
            bytes = renamed(input.readAllBytes());
        }
        return defineClass(null, bytes, 0, bytes.length);
    }

    /** Replaces the name in the constant pool (JVMS 4.4). */
    private static byte[] renamed(byte[] bytes) throws IOException {
        DataInputStream input = new DataInputStream(new ByteArrayInputStream(bytes));
        ByteArrayOutputStream result = new ByteArrayOutputStream();
        DataOutputStream output = new DataOutputStream(result);
        output.writeLong(input.readLong());
        int constants = input.readUnsignedShort();
        output.writeShort(constants);
        for (int i = 1; i < constants; i++) {
            int tag = input.readUnsignedByte();
            output.writeByte(tag);
            if (tag == UTF8) {
                output.writeUTF(input.readUTF().replace(PLAIN, NAMED));
                continue;
            }
            output.write(input.readNBytes(length(tag)));
            i += tag == LONG || tag == DOUBLE ? 1 : 0;
        }
        output.write(input.readAllBytes());
        return result.toByteArray();
    }

    private static int length(int tag) {
        switch (tag) {
            case 3: case 4: case 9: case 10: case 11: case 12: case 17: case 18:
                return 4;
            case LONG: case DOUBLE:
                return 8;
            case 15:
                return 3;
            default:
                return 2;
        }
    }
}
