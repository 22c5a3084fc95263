/* Global references, kept and dropped by native methods of com.acme.probed.Native. */
#include <jni.h>

static jobject kept[1000];
static jweak weak[1000];
static int count;

JNIEXPORT void JNICALL Java_com_acme_probed_Native_keep(JNIEnv *env, jclass type, jobject object) {
    kept[count] = (*env)->NewGlobalRef(env, object);
    weak[count++] = (*env)->NewWeakGlobalRef(env, object);
}

JNIEXPORT void JNICALL Java_com_acme_probed_Native_drop(JNIEnv *env, jclass type) {
    count--;
    (*env)->DeleteGlobalRef(env, kept[count]);
    (*env)->DeleteWeakGlobalRef(env, weak[count]);
}

JNIEXPORT void JNICALL Java_com_acme_probed_Native_leak(JNIEnv *env, jclass type, jobject object, jint times) {
    for (jint i = 0; i < times; i++) {
        (*env)->NewGlobalRef(env, object);
    }
}
